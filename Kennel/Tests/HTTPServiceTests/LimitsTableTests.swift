import TestSupport
import Testing

@testable import HTTPService

/// The table of limits in docs/architecture.md has the numbers of the code.
@Suite struct LimitsTableTests {
  @Test func `the row of a server's clients has the default limits`() throws {
    let limits = HTTPServerConfiguration.Limits()
    #expect(
      try LimitsTable().numbers(of: "a server's clients") == [
        limits.maximumConnections, limits.maximumConnectionsPerAddress, limits.maximumLingeringSockets,
        limits.maximumHeaderSize, Int(limits.maximumBodySize), limits.maximumBufferedBodySize,
      ])
  }
}
