import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Tests of the transport of our own that the conformance suite, which runs over it too, cannot see.
@Suite(.timeLimit(.minutes(5))) struct OwnTransportTests {
  private static func names(_ addresses: [String]) -> NameService {
    NameService { _ in .addresses(addresses) }
  }

  @Test func `requests share a connection, one after the other`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    let client = try TransferClient.onOwnTransport()
    for number in 0..<5 {
      let observer = RecordingObserver()
      let transfer = client.makeTransfer(
        TransferRequest(url: server.address("/\(number)")), observer: observer)
      transfer.start()
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.body == Array("/\(number)".utf8) && transfer.isOnOwnTransport)
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `libcurl gets requests that only it can carry`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    let client = try TransferClient.onOwnTransport()
    var expecting = TransferRequest(url: server.address())
    expecting.method = "POST"
    expecting.body = .bytes([1])
    expecting.headers = [TransferHeader("Expect", "100-continue")]
    for request in [expecting, TransferRequest(url: server.address("/a/../b"))] {
      let observer = RecordingObserver()
      let transfer = client.makeTransfer(request, observer: observer)
      transfer.start()
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure == nil && !transfer.isOnOwnTransport)
    }
  }

  @Test func `the next address is tried if one refuses`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    // The server listens at the last of these only.
    let client = try TransferClient.onOwnTransport {
      $0.names = Self.names(["127.0.0.7", "127.0.0.8", "127.0.0.1"])
    }
    let record = try await client.run(TransferRequest(url: "http://some.test:\(server.port)/"))
    #expect(record.failure == nil && record.body == Array("hello".utf8))
  }

  @Test func `a failure to connect names the server and the reason`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let port = server.port
    server.stop()
    let client = try TransferClient.onOwnTransport { $0.names = Self.names(["127.0.0.7", "127.0.0.8"]) }
    let record = try await client.run(TransferRequest(url: "http://some.test:\(port)/"))
    #expect(record.failure?.code == .cannotConnect)
    #expect(record.failure?.message.contains("some.test port \(port): Connection refused") == true)
  }

  @Test func `the address policy is asked before each connection`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let client = try TransferClient.onOwnTransport {
      $0.addressRefusal = { _, _, _ in "This address is not allowed." }
    }
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == .refusedByPolicy)
    #expect(record.failure?.message == "This address is not allowed." && server.connectionCount == 0)
  }

  @Test func `an address that the policy refuses does not stand in the way of others`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let asked = Mutex(0)
    let client = try TransferClient.onOwnTransport {
      $0.names = Self.names(["127.0.0.7", "127.0.0.1"])
      $0.addressRefusal = { _, _, _ in
        asked.withLock {
          $0 += 1
          return $0 == 1 ? "This address is not allowed." : nil
        }
      }
    }
    let record = try await client.run(TransferRequest(url: "http://some.test:\(server.port)/"))
    #expect(record.failure == nil && record.body == Array("hello".utf8) && asked.withLock { $0 } == 2)
  }

  @Test func `a request that is cancelled before its connection is ready is never sent`() async throws {
    let accepted = Gate()
    // A TLS server that never answers the handshake.
    let server = try ScriptedServer { connection in
      accepted.open()
      try connection.readUntilClosed()
    }
    let client = try TransferClient.onOwnTransport()
    let observers = [RecordingObserver(), RecordingObserver()]
    let transfers = observers.map {
      client.makeTransfer(TransferRequest(url: "https://localhost:\(server.port)/"), observer: $0)
    }
    for transfer in transfers { transfer.start() }
    #expect(await accepted.wait(within: .seconds(90)))
    for (transfer, observer) in zip(transfers, observers) {
      transfer.cancel()
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure?.code == .cancelled)
    }
    // Nobody waits any longer, so the connection is closed.
    server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `a request is sent again only if it may be`(_ method: String) async throws {
    let requests = Mutex(0)
    let server = try ScriptedServer { connection in
      // Each connection answers once, and ends after it has read a second request.
      _ = try connection.readRequest()
      requests.withLock { $0 += 1 }
      try connection.send(Reply(text: "first"))
      if try connection.nextRequest() != nil { requests.withLock { $0 += 1 } }
    }
    let client = try TransferClient.onOwnTransport()
    #expect(try await client.run(TransferRequest(url: server.address())).failure == nil)
    var request = TransferRequest(url: server.address())
    request.method = method
    if method == "POST" { request.body = .bytes([1]) }
    let record = try await client.run(request)
    #expect(record.failure?.code == (method == "GET" ? nil : .connectionLost))
    #expect(requests.withLock { $0 } == (method == "GET" ? 3 : 2))
  }

  @Test func `a paused body continues where it stopped`() async throws {
    let text = String(repeating: "0123456789", count: 200_000)
    let server = try ScriptedServer.http { _ in Reply(text: text) }
    let client = try TransferClient.onOwnTransport()
    let paused = Gate()
    let observer = RecordingObserver(onBytes: { total in
      guard total < 1_500_000 else { return .proceed }
      paused.open()
      return .pause
    })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    #expect(await paused.wait(within: .seconds(90)))
    while !observer.ended.isOpen {
      transfer.resumeReceiving()
      await Task.yield()
    }
    #expect(observer.record.failure == nil && observer.record.body == Array(text.utf8))
  }

  @Test(arguments: [99_000, 110_000])
  func `a line of a head has libcurl's limit`(_ length: Int) async throws {
    let field = String(repeating: "a", count: length)
    let server = try ScriptedServer.http { _ in Reply(headers: [("X-Long", field)], text: "hello") }
    let record = try await TransferClient.onOwnTransport().run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == (length < 100 << 10 ? nil : .headTooLarge))
  }

  @Test func `fields that nghttp2 would never send are an error`() async throws {
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true { try connection.respond(stream: try connection.nextRequest(), text: "hello") }
    }
    let client = try TransferClient.onOwnTransport()
    var request = TransferRequest(url: server.address())
    #expect(try await client.run(request).failure == nil)
    request.headers = [TransferHeader("X-Long", String(repeating: "a", count: 70_000))]
    let record = try await client.run(request)
    #expect(record.failure?.message.contains("longer than 61440 bytes") == true)
    request.headers = []
    #expect(try await client.run(request).body == Array("hello".utf8))
  }

  @Test func `a body without a length is sent in chunks`() async throws {
    let received = Mutex<[UInt8]>([])
    let server = try ScriptedServer.http { request in
      received.withLock { $0 = Array(request.body) }
      return Reply(text: "done")
    }
    var request = TransferRequest(url: server.address())
    request.method = "PUT"
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    request.body = .source(PiecesSource(bytes))
    let record = try await TransferClient.onOwnTransport().run(request)
    #expect(record.failure == nil && record.sent.last == Int64(bytes.count))
    #expect(received.withLock { $0 } == bytes)
  }

  /// A body of unknown length that waits once before each piece.
  private final class PiecesSource: TransferBodySource {
    private struct State {
      var sent = 0
      var waits = false
      var more: (@Sendable () -> Void)?
    }

    private let bytes: [UInt8]
    private let state = Mutex(State())
    let length: Int64? = nil

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func start(moreAvailable: @escaping @Sendable () -> Void) { state.withLock { $0.more = moreAvailable } }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
      let (answer, more) = state.withLock { state -> (TransferBodyRead, (@Sendable () -> Void)?) in
        state.waits.toggle()
        if state.waits { return (.wait, state.more) }
        let piece = bytes[state.sent..<min(state.sent + min(buffer.count, 100_001), bytes.count)]
        if piece.isEmpty { return (.end, nil) }
        buffer.copyBytes(from: piece)
        state.sent += piece.count
        return (.bytes(piece.count), nil)
      }
      more?()
      return answer
    }

    func rewind() -> Bool { false }
  }
}
