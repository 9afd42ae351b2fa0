import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Tests of the number of HTTP/2 connections that many loads of one server use.
@Suite(.timeLimit(.minutes(5))) struct TransferGrowthTests {
  private static func client(period: Duration) throws -> TransferClient {
    var options = try TransferClientOptions.trustingTestAuthority()
    options.growthPeriod = period
    return try TransferClient(options: options)
  }

  private static func load(_ count: Int, from server: HTTP2FaultServer, with client: TransferClient) async {
    let observers = (0..<count).map { _ in RecordingObserver() }
    for observer in observers {
      client.makeTransfer(TransferRequest(url: server.address()), observer: observer).start()
    }
    for observer in observers {
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure == nil)
    }
  }

  @Test func `a burst of short loads shares one connection`() async throws {
    let connections = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      connections.withLock { $0 += 1 }
      while true {
        let stream = try connection.nextRequest()
        try connection.respond(stream: stream, text: "short")
      }
    }
    // On a busy machine, even short loads may take longer than a normal period.
    let client = try Self.client(period: .seconds(1000))
    await Self.load(1, from: server, with: client)
    await Self.load(500, from: server, with: client)
    // On a very busy machine, libcurl may open a second one at the start. All 500 loads would need five.
    #expect(connections.withLock { $0 } <= 2)
  }

  /// The first loads wait before the client knows that the server's connections carry several of them.
  @Test func `loads behind responses that do not come get more connections`() async throws {
    struct Held {
      var streams: [(HTTP2Connection, UInt32)] = []
      var connections: [Int] = []
    }
    let count = 250
    let held = Mutex(Held())
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let index = held.withLock { held in
        held.connections.append(0)
        return held.connections.count - 1
      }
      while true {
        let stream = try connection.nextRequest()
        let all = held.withLock { held in
          held.streams.append((connection, stream))
          held.connections[index] += 1
          return held.streams.count == count ? held.streams : []
        }
        for (connection, stream) in all { try connection.respond(stream: stream, text: "late") }
      }
    }
    let client = try Self.client(period: .milliseconds(5))
    await Self.load(count, from: server, with: client)
    let connections = held.withLock { $0.connections }
    #expect(connections.count >= 3)
    #expect(connections.allSatisfy { $0 <= LoadScheduler.streamsPerConnection })
  }
}
