import RetrieverConformance

// Runs all cases of the conformance suite with Retriever. ConformanceMain documents the arguments.
await ConformanceMain.run(client: URLSessionClient())
