import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Tests of HTTP/2 streams that share a connection.
@Suite(.timeLimit(.minutes(5))) struct TransferStreamTests {
  private static func client(connections: Int = 1) throws -> TransferClient {
    var options = try TransferClientOptions.trustingTestAuthority()
    options.connectionsPerHost = connections
    return try TransferClient(options: options)
  }

  private static func pattern(_ count: Int) -> [UInt8] { [UInt8](Data.pattern(count: count)) }

  private static func sendBody(
    _ body: [UInt8], on stream: UInt32, _ connection: HTTP2Connection, isLast: Bool = true
  ) throws {
    for start in stride(from: 0, to: body.count, by: 16_384) {
      let piece = body[start..<min(start + 16_384, body.count)]
      try connection.sendData(stream: stream, piece, isLast: isLast && piece.endIndex == body.count)
    }
  }

  /// A consumer that pauses lets libcurl's buffer fill up. Further data on the connection belongs to other streams.
  @Test(arguments: [false, true])
  func `a paused stream does not block other streams and loses no data`(endsUploads: Bool) async throws {
    let large = Self.pattern(700_000)
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let stream = try connection.nextRequest()
      try connection.sendHead(stream: stream)
      // As much data as the client's windows accept.
      try Self.sendBody(large, on: stream, connection, isLast: false)
      // Trailers larger than libcurl's buffer.
      let trailers = (0..<30).map { ("x-trailer-\($0)", String(repeating: "t", count: 1000)) }
      try connection.sendTrailers(stream: stream, fields: trailers)
      while true {
        let stream = try connection.nextRequest()
        try connection.respond(stream: stream, text: "another stream")
      }
    }
    let client = try Self.client()
    let isPaused = Atomic<Bool>(true)
    let observer = RecordingObserver(
      onBytes: { _ in isPaused.load(ordering: .relaxed) ? .pause : .proceed })
    let unread = client.makeTransfer(TransferRequest(url: server.address("/large")), observer: observer)
    unread.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(90)))

    for index in 0..<20 {
      var request = TransferRequest(url: server.address("/\(index)"))
      request.idleTimeout = .seconds(5)
      if endsUploads {
        request.method = "PUT"
        // A body of unknown length. Its end makes libcurl process data of other streams.
        request.body = .source(ScriptedBody(Self.pattern(3000), length: nil))
      }
      let record = try await client.run(request)
      try #require(record.failure == nil, "load \(index) next to the paused one: \(record.ends)")
      #expect(String(decoding: record.body, as: UTF8.self) == "another stream")
    }

    isPaused.store(false, ordering: .relaxed)
    unread.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil)
    #expect(difference(observer.record.body, large) == nil)
  }

  /// Sends a body as fast as the client's windows allow, next to a stream that has started and sends nothing more.
  private static func pour(
    _ body: [UInt8], _ connection: HTTP2Connection, onSent: (_ total: Int) -> Void = { _ in },
    end: () throws -> Void = {}
  ) throws {
    var (initial, shared) = (65_535, 65_535)
    var (windows, streams) = ([UInt32: Int](), [UInt32]())
    var sent = 0
    try connection.handshake()
    while let frame = try connection.nextFrame() {
      switch frame.kind {
      case .settings: initial = frame.initialWindow ?? initial
      case .windowUpdate where frame.stream == 0: shared += frame.windowIncrement
      case .windowUpdate: windows[frame.stream]? += frame.windowIncrement
      case .headers:
        streams.append(frame.stream)
        windows[frame.stream] = initial
        try connection.sendHead(stream: frame.stream)
        try connection.sendData(stream: frame.stream, [0])
      default: break
      }
      guard streams.count == 2, sent < body.count else { continue }
      while sent < body.count, let window = windows[streams[1]], window > 1, shared > 1 {
        let piece = body[sent..<min(sent + min(16_384, window - 1, shared - 1), body.count)]
        sent = piece.endIndex
        windows[streams[1]] = window - piece.count
        shared -= piece.count
        try connection.sendData(stream: streams[1], piece, isLast: sent == body.count)
        onSent(sent)
      }
      if sent == body.count { try end() }
    }
  }

  /// Pauses the transfer at its first byte, and then after each MiB.
  private static func receivePoured(
    _ server: HTTP2FaultServer, onBytes: @escaping @Sendable (_ total: Int) -> Void = { _ in }
  ) async throws -> RecordingObserver.Record {
    let client = try Self.client()
    let quiet = RecordingObserver()
    let beside = client.makeTransfer(TransferRequest(url: server.address()), observer: quiet)
    beside.start()
    #expect(await quiet.bytesArrived.wait(within: .seconds(90)))
    let box = TransferBox()
    let counted = Mutex(0)
    let observer = RecordingObserver(onBytes: { total in
      onBytes(total)
      let mayPause = counted.withLock { last in
        guard total == 1 || total - last >= 1 << 20 else { return false }
        last = total
        return true
      }
      guard mayPause else { return .proceed }
      Task.detached {
        await Task.yield()
        box.transfer?.resumeReceiving()
      }
      return .pause
    })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    box.set(transfer)
    transfer.start()
    try #require(await observer.ended.wait(within: .seconds(200)), "the load did not end")
    box.set(nil)
    beside.cancel()
    return observer.record
  }

  @Test func `a fast server cannot fill memory through a stream that pauses`() async throws {
    let body = Self.pattern(48 << 20)
    let sent = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      try Self.pour(body, connection, onSent: { total in sent.withLock { $0 = total } })
    }
    let maximumAhead = Mutex(0)
    let record = try await Self.receivePoured(server) { total in
      let ahead = sent.withLock { $0 } - total
      maximumAhead.withLock { $0 = max($0, ahead) }
    }
    #expect(record.failure == nil)
    #expect(record.byteCount == body.count + 1)
    #expect(difference(Array(record.body.dropFirst()), body) == nil)
    // The window, and the data in the sockets and in the TLS relay.
    let ahead = maximumAhead.withLock { $0 }
    #expect(ahead < 24 << 20, "the server was \(ahead >> 20) MiB ahead")
  }

  /// nginx does this after the last response of a connection.
  @Test func `a response is complete if GOAWAY follows immediately`() async throws {
    let body = Self.pattern(900_000)
    for _ in 0..<20 {
      let server = try HTTP2FaultServer { connection in
        try Self.pour(body, connection, end: { try connection.goAway(lastStream: 3, code: 0) })
      }
      let record = try await Self.receivePoured(server)
      try #require(record.failure == nil, "\(record.ends) after \(record.byteCount) bytes")
      #expect(difference(Array(record.body.dropFirst()), body) == nil)
    }
  }

  /// libcurl 7.88 keeps paused data in its handle, which is reused.
  @Test func `data of a cancelled paused stream does not appear in the next response`() async throws {
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest()
        try connection.sendHead(stream: stream)
        // The first stream stays open, so that the connection is in use.
        if stream > 1 { try Self.sendBody(Self.pattern(60_000), on: stream, connection) }
      }
    }
    let client = try Self.client()
    let quiet = RecordingObserver()
    let beside = client.makeTransfer(TransferRequest(url: server.address()), observer: quiet)
    beside.start()
    #expect(await quiet.headArrived.wait(within: .seconds(90)))
    for _ in 0..<50 {
      let paused = RecordingObserver(onBytes: { _ in .pause })
      let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: paused)
      transfer.start()
      #expect(await paused.bytesArrived.wait(within: .seconds(90)))
      transfer.cancel()
      #expect(await paused.ended.wait(within: .seconds(90)))
      let box = TransferBox()
      let isFirst = Atomic<Bool>(true)
      let observer = RecordingObserver(onBytes: { _ in
        guard isFirst.exchange(false, ordering: .relaxed) else { return .proceed }
        box.transfer?.resumeReceiving()
        return .pause
      })
      let next = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
      box.set(next)
      next.start()
      #expect(await observer.ended.wait(within: .seconds(90)))
      box.set(nil)
      #expect(observer.record.failure == nil)
      try #require(difference(observer.record.body, Self.pattern(60_000)) == nil)
    }
    beside.cancel()
  }

  @Test func `a cancelled stream is reset without delay, though others share its connection`() async throws {
    let isReset = Gate()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let first = try connection.nextRequest()
      let second = try connection.nextRequest()
      // Both streams have started, and neither continues.
      for stream in [first, second] {
        try connection.sendHead(stream: stream)
        try connection.sendData(stream: stream, "a part".utf8)
      }
      while let frame = try connection.nextFrame() {
        guard frame.kind == .resetStream else { continue }
        isReset.open()
        // The requests may have arrived in any order.
        let other = frame.stream == first ? second : first
        try connection.sendData(stream: other, " and the rest".utf8, isLast: true)
      }
    }
    let client = try Self.client()
    let observers = [RecordingObserver(), RecordingObserver()]
    var transfers: [Transfer] = []
    for observer in observers {
      let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
      transfers.append(transfer)
      transfer.start()
    }
    for observer in observers { #expect(await observer.bytesArrived.wait(within: .seconds(90))) }
    transfers[0].cancel()
    #expect(await isReset.wait(within: .seconds(5)))
    #expect(await observers[1].ended.wait(within: .seconds(90)))
    #expect(String(decoding: observers[1].record.body, as: UTF8.self) == "a part and the rest")
  }

  /// libcurl rewinds a body only for what it has sent, and ignores what it has read beyond that.
  @Test func `a body that was read but not sent restarts at its first byte`() async throws {
    let body = Self.pattern(200_000)
    let attempts = Mutex(0)
    let received = Mutex([UInt8]())
    let server = try HTTP2FaultServer { connection in
      let isFirst = attempts.withLock { count in
        count += 1
        return count == 1
      }
      // The first connection does not allow a body to be sent.
      let closedWindows: [(UInt16, UInt32)] = [(HTTP2Connection.initialWindowSize, 0)]
      try connection.handshake(settings: isFirst ? closedWindows : [])
      if isFirst {
        let stream = try connection.nextRequest()
        try connection.sendHead(stream: stream, status: 204, isLast: true)
        let (next, _) = try connection.nextHead()
        // The client responds to this when it has no more data to send.
        try connection.send(HTTP2Frame(.ping, stream: 0, payload: [UInt8](repeating: 0, count: 8)))
        while let frame = try connection.nextFrame(), frame.kind != .ping {}
        try connection.goAway(lastStream: next - 2, code: 0)
        return try connection.raw.readUntilClosed()
      }
      let (stream, _) = try connection.nextHead()
      var bytes: [UInt8] = []
      while let frame = try connection.nextFrame() {
        guard frame.kind == .data, frame.stream == stream else { continue }
        bytes += frame.payload
        try connection.openWindow(stream: 0, by: UInt32(frame.payload.count))
        if frame.flags & HTTP2Frame.endStream != 0 { break }
        try connection.openWindow(stream: stream, by: UInt32(frame.payload.count))
      }
      received.withLock { $0 = bytes }
      try connection.respond(stream: stream)
      try connection.raw.readUntilClosed()
    }
    let client = try Self.client()
    #expect(try await client.run(TransferRequest(url: server.address())).failure == nil)
    var request = TransferRequest(url: server.address())
    request.method = "PUT"
    request.body = .source(ScriptedBody(body, length: Int64(body.count)))
    request.idleTimeout = .seconds(5)
    let record = try await client.run(request)
    #expect(record.failure == nil, "\(record.ends)")
    #expect(difference(received.withLock { $0 }, body) == nil)
  }
}
