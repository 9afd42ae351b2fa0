import RetrieverConformance

// Tries every behaviour of the conformance suite on Retriever; see ConformanceMain for the arguments.
await ConformanceMain.run(client: URLSessionClient())
