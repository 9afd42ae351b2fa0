import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Servers and connections that end, refuse or stop in the middle, over the transport of our own.
@Suite(.timeLimit(.minutes(5))) struct OwnTransportFaultTests {
  private static func start(
    _ request: TransferRequest, with client: TransferClient,
    _ observer: RecordingObserver = RecordingObserver()
  ) -> RecordingObserver {
    client.makeTransfer(request, observer: observer).start()
    return observer
  }

  private static func load(_ count: Int, of address: String, with client: TransferClient) async {
    let observers = (0..<count).map { _ in start(TransferRequest(url: address), with: client) }
    for observer in observers {
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure == nil && observer.record.heads.last?.status == 200)
    }
  }

  /// Counts a connection. Returns whether it is the first one.
  private static func countsFirst(_ connections: borrowing Mutex<Int>) -> Bool {
    connections.withLock { count in
      count += 1
      return count == 1
    }
  }

  // MARK: Answers before the end of the request

  @Test(arguments: [nil, 3_000_000])
  func `a server that accepts a request early gets all of its body`(_ length: Int64?) async throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let answered = Gate()
    let received = Mutex<[UInt8]>([])
    let server = try ScriptedServer { connection in
      while let head = try connection.readHead() {
        try connection.send(Reply(text: "ok"))
        answered.open()
        let body = try connection.readBody(of: head)
        if !body.isEmpty { received.withLock { $0 = body } }
      }
    }
    let client = try TransferClient.onOwnTransport()
    var request = TransferRequest(url: server.address())
    request.method = "PUT"
    let source = ScriptedBody([bytes[0]], length: length, waitsWhenEmpty: true)
    request.body = .source(source)
    let observer = Self.start(request, with: client)
    #expect(await answered.wait(within: .seconds(90)))
    source.supply(Array(bytes.dropFirst()))
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil && observer.record.body == Array("ok".utf8))
    // The client is done when its socket has taken the last byte.
    #expect(await eventually { received.withLock { $0.count } == bytes.count })
    #expect(difference(received.withLock { $0 }, bytes) == nil)
    // The connection is free again.
    await Self.load(1, of: server.address(), with: client)
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: [false, true])
  func `a refusal ends an upload that cannot go on`(_ isPaused: Bool) async throws {
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let (stream, _) = try connection.nextHead()
      try connection.respond(stream: stream, status: 413, text: "no")
      while try connection.nextFrame() != nil {}
    }
    var request = TransferRequest(url: server.address())
    request.method = "POST"
    request.body = .source(ScriptedBody([1, 2, 3], length: 1_000_000, waitsWhenEmpty: true))
    let paused = Gate()
    let observer = RecordingObserver(onBytes: { _ in
      guard isPaused, !paused.isOpen else { return .proceed }
      paused.open()
      return .pause
    })
    let transfer = try TransferClient.onOwnTransport().makeTransfer(request, observer: observer)
    transfer.start()
    if isPaused {
      #expect(await paused.wait(within: .seconds(90)))
      transfer.resumeReceiving()
    }
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil && observer.record.body == Array("no".utf8))
    #expect(observer.record.heads.last?.status == 413)
  }

  @Test func `a complete response outlives its connection while its consumer pauses`() async throws {
    let paused = Gate()
    let closed = Gate()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let (stream, _) = try connection.nextHead()
      try connection.sendHead(stream: stream, status: 200)
      try connection.sendData(stream: stream, Array("hello ".utf8))
      try connection.raw.wait(for: paused)
      try connection.sendData(stream: stream, Array("world".utf8), isLast: true)
      // Closing it with bytes that were not read would discard what the client has not read yet.
      connection.raw.finishSending()
      closed.open()
      while try connection.nextFrame() != nil {}
    }
    var request = TransferRequest(url: server.address())
    request.method = "POST"
    request.body = .source(ScriptedBody([1, 2, 3], length: nil, waitsWhenEmpty: true))
    let observer = RecordingObserver(onBytes: { _ in
      guard !paused.isOpen else { return .proceed }
      paused.open()
      return .pause
    })
    let client = try TransferClient.onOwnTransport()
    let transfer = client.makeTransfer(request, observer: observer)
    transfer.start()
    #expect(await closed.wait(within: .seconds(90)))
    while !observer.ended.isOpen {
      transfer.resumeReceiving()
      await Task.yield()
    }
    #expect(observer.record.failure == nil && observer.record.body == Array("hello world".utf8))
  }

  // MARK: Numbers of connections

  @Test func `requests of a lost connection share another one`() async throws {
    let connections = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      let isFirst = Self.countsFirst(connections)
      try connection.handshake()
      try connection.respond(stream: try connection.nextRequest(), text: "hello")
      guard isFirst else {
        while true { try connection.respond(stream: try connection.nextRequest(), text: "hello") }
      }
      for _ in 0..<60 { _ = try connection.nextHead() }
    }
    let client = try TransferClient.onOwnTransport()
    await Self.load(1, of: server.address(), with: client)
    await Self.load(60, of: server.address(), with: client)
    #expect(connections.withLock { $0 } == 2)
  }

  @Test func `loads wait for a connection that is being opened, not behind streams that stay open`()
    async throws
  {
    let mayEnd = Gate()
    let connections = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      let isFirst = Self.countsFirst(connections)
      try connection.handshake()
      var held: [UInt32] = []
      while held.count < (isFirst ? HTTP2Session.maximumStreams : .max) {
        let stream = try connection.nextRequest()
        // The first load shows that the server speaks HTTP/2.
        if isFirst, held.isEmpty, !mayEnd.isOpen { try connection.respond(stream: stream) }
        if isFirst { held.append(stream) } else { try connection.respond(stream: stream) }
      }
      try connection.raw.wait(for: mayEnd)
      for stream in held.dropFirst() { try connection.respond(stream: stream) }
    }
    let client = try TransferClient.onOwnTransport {
      $0.connectionsPerHost = 2
      $0.growthPeriod = .milliseconds(5)
    }
    await Self.load(1, of: server.address(), with: client)
    let long = (1..<HTTP2Session.maximumStreams).map { _ in
      Self.start(TransferRequest(url: server.address()), with: client)
    }
    let short = (0..<50).map { _ in Self.start(TransferRequest(url: server.address()), with: client) }
    #expect(await eventually { short.count { $0.ended.isOpen } >= 49 })
    mayEnd.open()
    for observer in long + short { #expect(await observer.ended.wait(within: .seconds(90))) }
  }

  @Test func `loads that must use HTTP 1 wait for one of few connections`() async throws {
    struct Counts {
      var open = 0
      var most = 0
    }
    let isFirst = Atomic<Bool>(true)
    let counts = Mutex(Counts())
    let server = try HTTP2FaultServer { connection in
      guard isFirst.exchange(false, ordering: .relaxed) else {
        counts.withLock {
          $0.open += 1
          $0.most = max($0.most, $0.open)
        }
        defer { counts.withLock { $0.open -= 1 } }
        while try connection.raw.nextRequest() != nil { try connection.raw.send(Reply(text: "hello")) }
        return
      }
      try connection.handshake()
      var streams: [UInt32] = []
      for _ in 0..<40 { streams.append(try connection.nextHead().stream) }
      for stream in streams { try connection.reset(stream: stream, code: HTTP2Connection.http11Required) }
      while try connection.nextFrame() != nil {}
    }
    let client = try TransferClient.onOwnTransport { $0.connectionsPerHost = 4 }
    await Self.load(40, of: server.address(), with: client)
    #expect(counts.withLock { $0.most } <= 4)
  }

  @Test func `requests that the server will not take go over another connection`() async throws {
    let first = Gate()
    let connections = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      let isFirst = Self.countsFirst(connections)
      try connection.handshake(settings: [(HTTP2Connection.maximumConcurrentStreams, isFirst ? 1 : 100)])
      try connection.respond(stream: try connection.nextRequest(), text: "hello")
      guard isFirst else {
        while true { try connection.respond(stream: try connection.nextRequest(), text: "hello") }
      }
      // The second one occupies the only stream until the third one, which waits behind it, was answered.
      let stream = try connection.nextRequest()
      try connection.goAway(lastStream: stream, code: 0)
      try connection.raw.wait(for: first)
      try connection.respond(stream: stream, text: "late")
    }
    let client = try TransferClient.onOwnTransport { $0.connectionsPerHost = 1 }
    await Self.load(1, of: server.address(), with: client)
    let waiting = (0..<2).map { _ in Self.start(TransferRequest(url: server.address()), with: client) }
    #expect(await eventually { waiting.contains { $0.ended.isOpen } })
    first.open()
    for observer in waiting {
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure == nil)
    }
  }

  @Test func `connections that the server has closed are closed here too`() async throws {
    let closed = [Gate(), Gate(), Gate()]
    let numbers = Mutex(0)
    let all = Gate()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      let number = numbers.withLock { number in
        number += 1
        if number == closed.count { all.open() }
        return number - 1
      }
      try connection.wait(for: all)
      try connection.send(Reply(text: "hello"))
      connection.finishSending()
      try connection.readUntilClosed()
      closed[number].open()
    }
    let client = try TransferClient.onOwnTransport()
    await Self.load(closed.count, of: server.address(), with: client)
    for gate in closed { #expect(await gate.wait(within: .seconds(90))) }
  }

  // MARK: Time and windows

  @Test func `a handshake that does not end fails`() async throws {
    let server = try ScriptedServer { try $0.readUntilClosed() }
    let client = try TransferClient.onOwnTransport { $0.handshakeLimit = .milliseconds(50) }
    let observers = [1, 2].map { _ in
      Self.start(TransferRequest(url: "https://localhost:\(server.port)/"), with: client)
    }
    for observer in observers {
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure?.code == .timedOut)
      #expect(observer.record.failure?.message.contains("TLS handshake") == true)
    }
  }

  @Test(arguments: [false, true])
  func `a long response gets a larger window if it is read`(_ isRead: Bool) async throws {
    let length = 6 << 20
    let largest = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let stream = try connection.nextRequest()
      try connection.sendHead(stream: stream)
      let piece = [UInt8](repeating: 1, count: 1 << 14)
      var (sent, granted) = (0, 1 << 20)
      while sent < length {
        try connection.sendData(stream: stream, piece, isLast: sent + piece.count == length)
        sent += piece.count
        while granted < min(sent + piece.count, length), let frame = try connection.nextFrame() {
          guard frame.kind == .windowUpdate, frame.stream == stream else { continue }
          granted += frame.windowIncrement
          largest.withLock { $0 = max($0, frame.windowIncrement) }
        }
        if granted < sent { return }
      }
      while try connection.nextFrame() != nil {}
    }
    let client = try TransferClient.onOwnTransport()
    let paused = Gate()
    let observer = RecordingObserver(
      keepsBody: false,
      onBytes: { total in
        guard !isRead, total >= 1 << 20, !paused.isOpen else { return .proceed }
        paused.open()
        return .pause
      })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    if !isRead {
      #expect(await paused.wait(within: .seconds(90)))
      #expect(largest.withLock { $0 } < 2 << 20)
      transfer.resumeReceiving()
    }
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil && observer.record.byteCount == length)
    if isRead { #expect(largest.withLock { $0 } >= 7 << 20) }
  }
}
