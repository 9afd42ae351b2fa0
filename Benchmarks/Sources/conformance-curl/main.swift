import RetrieverConformance

// Tries every behaviour of the conformance suite on the `curl` command; see ConformanceMain for the arguments.
await ConformanceMain.run(client: CurlClient())
