import RetrieverConformance

// Tries every behaviour of the conformance suite on FoundationNetworking; see ConformanceMain for the arguments.
try TrustStore.prepare()
await ConformanceMain.run(client: URLSessionClient())
