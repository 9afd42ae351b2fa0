import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Tests which requests are sent again after a kept-alive connection ends. The server counts them.
@Suite(.timeLimit(.minutes(5))) struct TransferRetryTests {
  /// Answers the first request of each connection. Reads the second one, and then closes the connection.
  private static func dyingServer(_ counts: Counts) throws -> ScriptedServer {
    try ScriptedServer { connection in
      let first = try connection.readRequest()
      counts.add(first.target)
      // A connection that was opened for a repeated request gets an answer.
      try connection.send(Reply(text: "first"))
      guard let second = try connection.nextRequest() else { return }
      counts.add(second.target)
    }
  }

  private final class Counts: Sendable {
    private let state = Mutex<[String: Int]>([:])
    func add(_ key: String) { state.withLock { $0[key, default: 0] += 1 } }
    subscript(key: String) -> Int { state.withLock { $0[key] ?? 0 } }
  }

  private static func request(
    _ method: String, _ url: String, _ body: TransferBody = .none
  ) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.method = method
    request.body = body
    return request
  }

  enum BodyKind: CaseIterable {
    case none, short, long, stream
    var body: TransferBody {
      switch self {
      case .none: .none
      case .short: .bytes(Array("nine byte".utf8))
      case .long: .source(ScriptedBody([UInt8](repeating: 7, count: 200_000), length: 200_000))
      case .stream: .source(ScriptedBody([UInt8](repeating: 7, count: 200_000), length: nil))
      }
    }
    var count: Int {
      switch self {
      case .none: 0
      case .short: 9
      case .long, .stream: 200_000
      }
    }
  }

  @Test(arguments: BodyKind.allCases)
  func `a POST that was partly sent is never sent again`(kind: BodyKind) async throws {
    let counts = Counts()
    let server = try Self.dyingServer(counts)
    let client = try TransferClient()
    // Opens several connections, which will all end.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let record = try await client.run(TransferRequest(url: server.address("/warm")))
          #expect(record.failure == nil)
        }
      }
      try await group.waitForAll()
    }
    for number in 0..<6 {
      let record = try await client.run(Self.request("POST", server.address("/pay\(number)"), kind.body))
      if let failure = record.failure { #expect(failure.code == .connectionLost) }
      #expect(counts["/pay\(number)"] == 1)
    }
  }

  /// Loads once, and then sends a request that the server reads, closes the connection, and accepts no other.
  private func reconnecting(_ method: String, _ body: TransferBody) async throws -> (TransferFailure?, Int) {
    let counts = Counts()
    let (isRead, isRefusing) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send(Reply(text: "first"))
      counts.add(try connection.readRequest().method)
      isRead.open()
      try connection.wait(for: isRefusing)
    }
    let client = try TransferClient()
    #expect(try await client.run(TransferRequest(url: server.address("/warm"))).failure == nil)
    async let record = client.run(Self.request(method, server.address("/pay"), body))
    await isRead.wait()
    server.stopAccepting()
    isRefusing.open()
    return (try await record.failure, counts[method])
  }

  @Test(arguments: BodyKind.allCases)
  func `a sent POST is lost, and not unsent, if a new connection is refused`(kind: BodyKind) async throws {
    let (failure, count) = try await reconnecting("POST", kind.body)
    #expect(failure?.code == .connectionLost)
    #expect(count == 1)
  }

  @Test func `a GET that can be sent again reports that the server refuses`() async throws {
    let (failure, count) = try await reconnecting("GET", .none)
    #expect(failure?.code == .cannotConnect)
    #expect(count == 1)
  }

  @Test(arguments: ["GET", "PUT", "DELETE", "HEAD"])
  func `an idempotent request uses a new connection when a reused one fails`(method: String) async throws {
    let counts = Counts()
    let server = try Self.dyingServer(counts)
    let client = try TransferClient()
    #expect(try await client.run(TransferRequest(url: server.address("/warm"))).failure == nil)
    let body: TransferBody = method == "PUT" ? .source(ScriptedBody(Array("put".utf8), length: 3)) : .none
    let record = try await client.run(Self.request(method, server.address("/again"), body))
    #expect(record.failure == nil)
    #expect(record.heads.count == 1)
    #expect(counts["/again"] == 2)
  }

  @Test func `a request to a server that never responds again is sent at most three times`() async throws {
    let counts = Counts()
    let server = try ScriptedServer { connection in
      let request = try connection.readRequest()
      counts.add(request.target)
      guard request.target == "/warm" else { return }
      try connection.send(Reply(text: "warm"))
      counts.add(try connection.readRequest().target)
    }
    let client = try TransferClient()
    #expect(try await client.run(TransferRequest(url: server.address("/warm"))).failure == nil)
    let record = try await client.run(TransferRequest(url: server.address("/again")))
    #expect(record.failure?.code == .connectionLost)
    #expect(2...3 ~= counts["/again"])
  }

  @Test func `many closed connections on a handle do not fail later loads`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send(Reply(text: "hello"))
      // The server does not announce the close, and closes when the next request arrives.
      _ = try connection.nextRequest()
    }
    let client = try TransferClient()
    for _ in 0..<40 {
      let record = try await client.run(TransferRequest(url: server.address()))
      #expect(record.failure == nil)
    }
  }

  @Test func `a body that can be read once is not sent again`() async throws {
    let counts = Counts()
    let server = try Self.dyingServer(counts)
    let client = try TransferClient()
    #expect(try await client.run(TransferRequest(url: server.address("/warm"))).failure == nil)
    let record = try await client.run(Self.request("PUT", server.address("/once"), .source(OneShotBody())))
    #expect(record.failure?.code == .requestBodyNotRewindable)
    #expect(counts["/once"] == 1)
  }

  private final class OneShotBody: TransferBodySource {
    let length: Int64? = 4
    private let isRead = Atomic<Bool>(false)
    func start(moreAvailable: @escaping @Sendable () -> Void) {}
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
      guard !isRead.exchange(true, ordering: .relaxed) else { return .end }
      buffer.copyBytes(from: "once".utf8)
      return .bytes(4)
    }
    func rewind() -> Bool { false }
  }

  @Test(arguments: ["GET", "POST"], [1, 2])
  func `a request that was not processed over HTTP 2 is sent again`(method: String, way: Int) async throws {
    let counts = Counts()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let stream = try connection.nextRequest(withBody: false)
      counts.add("requests")
      if counts["requests"] == 1 {
        if way == 1 {
          try connection.goAway(lastStream: 0, code: 0)
        } else {
          try connection.reset(stream: stream, code: 7)
        }
        try connection.raw.readUntilClosed()
      } else {
        try connection.respond(stream: stream, text: "hello")
        try connection.raw.readUntilClosed()
      }
    }
    let client = try TransferClient(options: .trustingTestAuthority())
    let body: TransferBody = method == "POST" ? .bytes(Array("pay".utf8)) : .none
    var request = Self.request(method, server.address(), body)
    request.idleTimeout = .seconds(10)
    let record = try await client.run(request)
    #expect(record.failure == nil)
    #expect(String(decoding: record.body, as: UTF8.self) == "hello")
    #expect(counts["requests"] == 2)
  }

  @Test func `a POST whose stream was reset with an error is not sent again`() async throws {
    let counts = Counts()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest()
        counts.add("requests")
        try connection.reset(stream: stream, code: 2)
      }
    }
    let client = try TransferClient(options: .trustingTestAuthority())
    let record = try await client.run(Self.request("POST", server.address(), .bytes(Array("pay".utf8))))
    #expect(record.failure?.code == .connectionLost)
    #expect(counts["requests"] == 1)
  }

  @Test(arguments: [true, false])
  func `a GET uses a new HTTP 2 connection when the kept one ends`(isReset: Bool) async throws {
    let counts = Counts()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest()
        counts.add("requests")
        if counts["requests"] == 2 { return isReset ? connection.raw.reset() : connection.raw.close() }
        try connection.respond(stream: stream, text: "hello")
      }
    }
    let client = try TransferClient(options: .trustingTestAuthority())
    for _ in 0..<2 {
      let record = try await client.run(TransferRequest(url: server.address()))
      #expect(record.failure == nil)
    }
    #expect(counts["requests"] == 3)
  }

  @Test(arguments: BodyKind.allCases)
  func `a server that requires HTTP 1 gets the complete request again`(kind: BodyKind) async throws {
    let isFirst = Atomic<Bool>(true)
    let received = Mutex<[ScriptedRequest]>([])
    let server = try HTTP2FaultServer { connection in
      guard isFirst.exchange(false, ordering: .relaxed) else {
        // The relay offers HTTP/2 only, so a client that does not want it speaks HTTP/1.1.
        while let request = try connection.raw.nextRequest() {
          received.withLock { $0.append(request) }
          try connection.raw.send(Reply(text: "over HTTP/1.1"))
        }
        return
      }
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest(withBody: false)
        try connection.reset(stream: stream, code: HTTP2Connection.http11Required)
      }
    }
    let client = try TransferClient(options: .trustingTestAuthority())
    for attempt in 1...2 {
      let record = try await client.run(Self.request("PUT", server.address("/\(attempt)"), kind.body))
      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == "over HTTP/1.1")
    }
    let requests = received.withLock { $0 }
    #expect(requests.map(\.target) == ["/1", "/2"])
    #expect(requests.allSatisfy { $0.body.count == kind.count })
  }
}
