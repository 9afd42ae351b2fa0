import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// The bytes that a client sends over an upgraded connection, as the test adds them.
private final class UpgradeSource: TransferBodySource {
  private struct State: Sendable {
    var bytes: [UInt8] = []
    var isOpen = false
    var more: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  var length: Int64? { nil }

  func start(moreAvailable: @escaping @Sendable () -> Void) { state.withLock { $0.more = moreAvailable } }
  func rewind() -> Bool { false }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    state.withLock { state in
      let count = min(buffer.count, state.bytes.count)
      guard state.isOpen, count > 0 else { return .wait }
      buffer.copyBytes(from: state.bytes[..<count])
      state.bytes.removeFirst(count)
      return .bytes(count)
    }
  }

  func add(_ bytes: [UInt8]) {
    let more = state.withLock { state in
      state.bytes += bytes
      return state.more
    }
    more?()
  }

  func open() {
    let more = state.withLock { state in
      state.isOpen = true
      return state.more
    }
    more?()
  }
}

@Suite(.timeLimit(.minutes(5))) struct TransferUpgradeTests {
  private static let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n"

  private func request(_ url: String, _ source: UpgradeSource) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.isUpgrade = true
    request.body = .source(source)
    request.acceptedEncodings = ""
    request.headers = [TransferHeader("Connection", "Upgrade"), TransferHeader("Upgrade", "test")]
    return request
  }

  /// A server that upgrades and then sends back what it gets, until it gets "bye".
  private func echo(_ extra: String = "") throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard try connection.nextRequest() != nil else { return }
      try connection.send(Self.head + extra + "\r\n")
      while true {
        let bytes = try connection.read()
        if bytes.isEmpty || bytes.suffix(3) == Array("bye".utf8) { return }
        try connection.send(bytes)
      }
    }
  }

  private func observer(_ source: UpgradeSource) -> RecordingObserver {
    RecordingObserver(onHead: { _ in
      source.open()
      return .proceed
    })
  }

  private func exchange(_ server: ScriptedServer, _ url: String, _ client: TransferClient) async throws {
    let source = UpgradeSource()
    let observer = observer(source)
    let transfer = client.makeTransfer(request(url, source), observer: observer)
    source.add(Array("woof".utf8))
    transfer.start()
    #expect(await observer.headArrived.wait(within: .seconds(90)))
    #expect(await eventually { observer.record.byteCount == 4 })
    let long = [UInt8](Data.pattern(count: 3_000_000))
    source.add(long)
    #expect(await eventually { observer.record.byteCount == 4 + long.count })
    #expect(difference(Array(observer.record.body.dropFirst(4)), long) == nil)
    source.add(Array("bye".utf8))
    try #require(await observer.ended.wait(within: .seconds(90)), "The end was not noticed")
    #expect(observer.record.failure == nil)
    #expect(observer.record.heads.map(\.status) == [101])
    let head = try #require(server.requests.last)
    #expect(head.method == "GET")
    #expect(head["Upgrade"] == "test")
    for name in ["Transfer-Encoding", "Content-Length", "Expect", "Content-Type", "Accept-Encoding"] {
      #expect(head[name] == nil, "\(name)")
    }
  }

  @Test func `bytes go both ways after status 101, until the server closes the connection`() async throws {
    let server = try echo()
    try await exchange(server, server.address(), TransferClient())
  }

  @Test(arguments: [TLSRelay.Ending.clean, .abrupt])
  func `bytes go both ways over TLS`(ending: TLSRelay.Ending) async throws {
    let server = try echo()
    let port = try TLSRelay.shared().forward(to: server.port, ending: ending)
    let client = try TransferClient(options: .trustingTestAuthority())
    try await exchange(server, "https://localhost:\(port)/", client)
  }

  @Test func `a length in the head of status 101 is ignored`() async throws {
    let server = try echo("Content-Length: 0\r\n")
    try await exchange(server, server.address(), TransferClient())
  }

  @Test func `bytes that arrive together with the head are delivered`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "\r\nearly")
    }
    let source = UpgradeSource()
    let record = try await TransferClient().run(request(server.address(), source))
    #expect(String(decoding: record.body, as: UTF8.self) == "early")
    #expect(record.failure == nil)
  }

  @Test func `an upgraded connection goes through a tunnel of an HTTP proxy`() async throws {
    let server = try echo()
    let proxy = try ScriptedProxy()
    var options = TransferClientOptions()
    options.proxies = ProxySelection(ProxyEnvironment { $0 == "http_proxy" ? proxy.url : nil })
    let url = "http://upgrade.test:\(server.port)/"
    try await exchange(server, url, TransferClient(options: options))
    #expect(proxy.questions == ["CONNECT upgrade.test:\(server.port)"])
  }

  @Test func `any other status ends the transfer at its head`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 1000000\r\n\r\nnot all of it")
      try connection.hold()
    }
    let record = try await TransferClient().run(request(server.address(), UpgradeSource()))
    #expect(record.heads.map(\.status) == [404])
    #expect(record.failure == nil)
  }

  @Test func `a reset is a failure`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "\r\nx")
      _ = try connection.read(exactly: 1)
      connection.reset()
    }
    let source = UpgradeSource()
    let observer = observer(source)
    let client = try TransferClient()
    let transfer = client.makeTransfer(request(server.address(), source), observer: observer)
    transfer.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(90)))
    source.add([1])
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .connectionLost)
  }

  @Test func `a paused connection notices the end when it continues`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "\r\n")
      try connection.send([UInt8](repeating: 7, count: 1 << 20))
    }
    let isPaused = Atomic<Bool>(true)
    let observer = RecordingObserver(
      keepsBody: false, onBytes: { _ in isPaused.load(ordering: .relaxed) ? .pause : .proceed })
    let client = try TransferClient()
    let transfer = client.makeTransfer(request(server.address(), UpgradeSource()), observer: observer)
    transfer.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(90)))
    #expect(await eventually { server.openConnectionCount == 0 })
    #expect(observer.record.ends.isEmpty)
    isPaused.store(false, ordering: .relaxed)
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.byteCount == 1 << 20)
    #expect(observer.record.failure == nil)
  }

  @Test func `upgraded connections do not keep other loads of their server waiting`() async throws {
    let server = try ScriptedServer { connection in
      while let head = try connection.readHead() {
        guard head["Upgrade"] != nil else {
          try connection.send(Reply(text: "plain"))
          continue
        }
        try connection.send(Self.head + "\r\n")
        return try connection.readUntilClosed()
      }
    }
    var options = TransferClientOptions()
    options.connectionsPerHost = 2
    let client = try TransferClient(options: options)
    var transfers: [Transfer] = []
    for _ in 0..<5 {
      let source = UpgradeSource()
      let observer = observer(source)
      transfers.append(client.makeTransfer(request(server.address(), source), observer: observer))
      transfers.last?.start()
      #expect(await observer.headArrived.wait(within: .seconds(90)))
    }
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.body == Array("plain".utf8))
    for transfer in transfers { transfer.cancel() }
  }

  @Test func `the idle time-out ends with the head`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "\r\n")
      try connection.pacing(.milliseconds(400))
      try connection.send("late")
    }
    var request = request(server.address(), UpgradeSource())
    request.idleTimeout = .milliseconds(100)
    let record = try await TransferClient().run(request)
    #expect(record.failure == nil)
    #expect(record.body == Array("late".utf8))
  }

  @Test func `cancelling closes the connection`() async throws {
    let closed = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send(Self.head + "\r\n")
      try connection.readUntilClosed()
      closed.open()
    }
    let source = UpgradeSource()
    let observer = observer(source)
    let client = try TransferClient()
    let transfer = client.makeTransfer(request(server.address(), source), observer: observer)
    transfer.start()
    #expect(await observer.headArrived.wait(within: .seconds(90)))
    transfer.cancel()
    #expect(await closed.wait(within: .seconds(90)))
    // The server may learn it first.
    #expect(await eventually { observer.record.failure?.code == .cancelled })
  }
}
