import RetrieverConformance

// Runs the conformance suite with the `curl` command. See ConformanceMain for the arguments.
await ConformanceMain.run(client: CurlClient())
