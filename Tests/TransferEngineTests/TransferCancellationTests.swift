import Foundation
import Glibc
import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct TransferCancellationTests {
  private let client: TransferClient

  init() throws { client = try TransferClient() }

  private func cancelled(
    _ request: TransferRequest, observer: RecordingObserver = .init(), once reached: Gate?
  ) async throws {
    let transfer = client.makeTransfer(request, observer: observer)
    transfer.start()
    if let reached { try #require(await reached.wait(within: .seconds(90))) }
    transfer.cancel()
    try #require(await observer.ended.wait(within: .seconds(90)))
    transfer.cancel()
    try await client.expectUsable()
    #expect(observer.record.ends.count == 1)
    #expect(observer.record.failure?.code == .cancelled)
    #expect(observer.record.afterEnd == 0)
  }

  @Test func beforeTheStart() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let observer = RecordingObserver()
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.cancel()
    #expect(await observer.ended.wait(within: .seconds(90)))
    transfer.start()
    try await client.expectUsable()
    #expect(observer.record.ends.count == 1)
    #expect(observer.record.failure?.code == .cancelled)
    #expect(server.connectionCount == 0)
  }

  @Test func rightAfterTheStart() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    for _ in 0..<100 { try await cancelled(TransferRequest(url: server.address()), once: nil) }
  }

  @Test func whileConnecting() async throws {
    let listener = try FullListener()
    try await cancelled(TransferRequest(url: "http://127.0.0.1:\(listener.port)/"), once: nil)
  }

  @Test func whileWaitingForTheHead() async throws {
    let (reached, closed) = (Gate(), Gate())
    let server = try ScriptedServer([.readRequest, .open(reached), .readUntilClosed, .open(closed)])
    try await cancelled(TransferRequest(url: server.address()), once: reached)
    #expect(await closed.wait(within: .seconds(90)))
  }

  @Test func insideTheHead() async throws {
    let (reached, closed) = (Gate(), Gate())
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Le"), .open(reached), .readUntilClosed, .open(closed),
    ])
    try await cancelled(TransferRequest(url: server.address()), once: reached)
    #expect(await closed.wait(within: .seconds(90)))
  }

  @Test func insideTheBody() async throws {
    let observer = RecordingObserver()
    let closed = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .readUntilClosed,
      .open(closed),
    ])
    try await cancelled(
      TransferRequest(url: server.address()), observer: observer, once: observer.bytesArrived)
    #expect(await closed.wait(within: .seconds(90)))
  }

  @Test func whilePaused() async throws {
    let observer = RecordingObserver(onBytes: { _ in .pause })
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .sendForever(String(repeating: "x", count: 10_000)),
    ])
    try await cancelled(
      TransferRequest(url: server.address()), observer: observer, once: observer.bytesArrived)
  }

  @Test func whileSendingToAServerThatDoesNotRead() async throws {
    let reached = Gate()
    let server = try ScriptedServer([.readHead, .open(reached), .hold])
    var request = TransferRequest(url: server.address())
    request.method = "PUT"
    request.body = .source(ScriptedBody([UInt8](repeating: 1, count: 32 << 20), length: 32 << 20))
    try await cancelled(request, once: reached)
  }

  @Test func whileTheBodysSourceHasNothing() async throws {
    let source = ScriptedBody([1, 2, 3], length: nil, waitsWhenEmpty: true)
    let server = try ScriptedServer([.readHead, .hold])
    var request = TransferRequest(url: server.address())
    request.method = "PUT"
    request.body = .source(source)
    try await cancelled(request, once: source.asked)
    source.supply([4])
    try await client.expectUsable()
  }

  @Test func whileWaitingForAFreeConnection() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var options = TransferClientOptions()
    options.connectionsPerHost = 1
    let client = try TransferClient(options: options)
    let first = RecordingObserver()
    let running = client.makeTransfer(TransferRequest(url: server.address()), observer: first)
    running.start()
    let observer = RecordingObserver()
    let queued = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    queued.start()
    queued.cancel()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .cancelled)
    running.cancel()
    #expect(await first.ended.wait(within: .seconds(90)))
  }

  @Test func `cancelling after the end has no effect`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "done") }
    let observer = RecordingObserver()
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    #expect(await observer.ended.wait(within: .seconds(90)))
    transfer.cancel()
    transfer.resumeReceiving()
    transfer.resumeSending()
    try await client.expectUsable()
    #expect(observer.record.failure == nil)
    #expect(observer.record.afterEnd == 0)
  }

  @Test func fromWithinEveryCall() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: 300_000)) }
    for disposition in 0..<2 {
      let observer = RecordingObserver(
        onHead: { _ in disposition == 0 ? .stop : .proceed }, onBytes: { _ in .stop })
      let record = try await client.run(TransferRequest(url: server.address()), observer: observer)
      #expect(record.failure?.code == .cancelled)
      #expect(record.afterEnd == 0)
      try await client.expectUsable()
    }
  }

  /// A listener whose queue is full, so that connecting to it never succeeds.
  private final class FullListener {
    let port: UInt16
    private let descriptors: [Int32]

    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && listen(listener, 0) == 0
            && getsockname(listener, $0, &length) == 0
        }
      }
      try #require(isListening)
      port = UInt16(bigEndian: address.sin_port)
      descriptors =
        [listener]
        + (0..<4).map { _ in
          let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
          let filler = socket(AF_INET, type, 0)
          _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, length) }
          }
          return filler
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
  }
}
