import RetrieverConformance

// Runs the conformance suite with FoundationNetworking. See ConformanceMain for the arguments.
try TrustStore.prepare()
await ConformanceMain.run(client: URLSessionClient())
