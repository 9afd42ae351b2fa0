#if !canImport(Darwin)
import Foundation
import Retriever
import TestSupport
import Testing

/// The metrics of a connection, including one that failed.
@Suite(.timeLimit(.minutes(5))) struct MetricsConnectionTests {
  private func expectNoConnection(
    in transactions: [URLSessionTaskTransactionMetrics],
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let metrics = try #require(transactions.first, sourceLocation: sourceLocation)
    #expect(metrics.remoteAddress == nil && metrics.remotePort == nil, sourceLocation: sourceLocation)
    #expect(metrics.localAddress == nil && metrics.localPort == nil, sourceLocation: sourceLocation)
    #expect(!metrics.isReusedConnection, sourceLocation: sourceLocation)
    #expect(metrics.connectEndDate == nil, sourceLocation: sourceLocation)
  }

  @Test func `a refused connection has no connection metrics`() async throws {
    let port = try ClosedPort()
    let collector = TransactionCollector()
    let session = URLSession.forTest()
    let url = try #require(URL(string: port.address()))
    let code = await errorCode { _ = try await session.data(from: url, delegate: collector) }
    #expect(code == .cannotConnectToHost)
    try expectNoConnection(in: collector.transactions.all)
  }

  @Test func `an unknown host has no connection metrics`() async throws {
    let collector = TransactionCollector()
    let session = URLSession.forTest()
    let url = try #require(URL(string: "http://no-such-host.invalid/"))
    let code = await errorCode { _ = try await session.data(from: url, delegate: collector) }
    #expect(code == .cannotFindHost)
    try expectNoConnection(in: collector.transactions.all)
  }

  @Test func `a load that is cancelled before it connects has no connection metrics`() async throws {
    let asked = Gate()
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        asked.open()
        try connection.hold()
      }
    }
    let session = URLSession.forTest { $0.httpMaximumConnectionsPerHost = 1 }
    let first = Task { try await session.data(from: server.url("/first")) }
    #expect(await asked.wait(within: .seconds(90)))
    // A cancellation that arrives before the load was prepared has no transaction at all.
    let collector = TransactionCollector()
    for _ in 0..<20 where collector.transactions.all.isEmpty {
      let second = Task { try await session.data(from: server.url("/second"), delegate: collector) }
      #expect(
        await eventually {
          let tasks = await session.allTasks
          return tasks.count == 2 && tasks.allSatisfy { $0.state == .running }
        })
      second.cancel()
      #expect(await errorCode { _ = try await second.value } == .cancelled)
    }
    try expectNoConnection(in: collector.transactions.all)
    first.cancel()
    _ = await first.result
  }

  @Test func `new and reused connections have addresses`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    let collector = TransactionCollector()
    let session = URLSession.forTest()
    for _ in 0..<2 { _ = try await session.data(from: server.url("/"), delegate: collector) }
    let transactions = collector.transactions.all
    #expect(transactions.map(\.isReusedConnection) == [false, true])
    #expect(transactions.map(\.remoteAddress) == ["127.0.0.1", "127.0.0.1"])
    #expect(transactions.map(\.remotePort) == [Int(server.port), Int(server.port)])
    #expect(transactions.allSatisfy { $0.localAddress == "127.0.0.1" && ($0.localPort ?? 0) > 0 })
  }
}
#endif
