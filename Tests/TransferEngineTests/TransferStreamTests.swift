import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// HTTP/2 streams that share a connection.
@Suite(.timeLimit(.minutes(1))) struct TransferStreamTests {
  private static func client(connections: Int = 1) throws -> TransferClient {
    var options = try TransferClientOptions.trustingTestAuthority()
    options.connectionsPerHost = connections
    return try TransferClient(options: options)
  }

  private static func pattern(_ count: Int) -> [UInt8] { [UInt8](Data.pattern(count: count)) }

  /// libcurl 7.88 waits for more when a body fills the last byte of its buffer and nothing follows.
  @Test func `a body of any size around libcurl's buffers ends`() async throws {
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest()
        // How large, the address says by the order of the requests.
        let body = Self.pattern(16_340 + Int(stream / 2))
        let rest = body.dropFirst(16_384)
        try connection.sendHead(stream: stream)
        try connection.sendData(stream: stream, body.prefix(16_384), isLast: rest.isEmpty)
        if !rest.isEmpty { try connection.sendData(stream: stream, rest, isLast: true) }
      }
    }
    let client = try Self.client()
    for index in 0..<64 {
      var request = TransferRequest(url: server.address("/\(index)"))
      request.idleTimeout = .seconds(5)
      let record = try await client.run(request)
      try #require(record.failure == nil, "the body of \(16_340 + index) bytes: \(record.ends)")
      #expect(record.body == Self.pattern(16_340 + index))
    }
  }

  /// What a stream's consumer does not want yet fills libcurl's buffer, and what is behind it belongs to others.
  @Test(arguments: [false, true])
  func `a stream that is not read holds up no other, and loses nothing`(endsUploads: Bool) async throws {
    let large = Self.pattern(700_000)
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let stream = try connection.nextRequest()
      try connection.sendHead(stream: stream)
      // As much as the client's windows take without being asked.
      for start in stride(from: 0, to: large.count, by: 16_384) {
        let piece = large[start..<min(start + 16_384, large.count)]
        try connection.sendData(stream: stream, piece, isLast: piece.endIndex == large.count)
      }
      while true {
        let stream = try connection.nextRequest()
        try connection.respond(stream: stream, text: "beside it")
      }
    }
    let client = try Self.client()
    let isPaused = Atomic<Bool>(true)
    let observer = RecordingObserver(
      onBytes: { _ in isPaused.load(ordering: .relaxed) ? .pause : .proceed })
    let unread = client.makeTransfer(TransferRequest(url: server.address("/large")), observer: observer)
    unread.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(30)))

    for index in 0..<20 {
      var request = TransferRequest(url: server.address("/\(index)"))
      request.idleTimeout = .seconds(5)
      if endsUploads {
        request.method = "PUT"
        // Of unknown length: its end is what makes libcurl look at bytes that are not its turn.
        request.body = .source(ScriptedBody(Self.pattern(3000), length: nil))
      }
      let record = try await client.run(request)
      try #require(record.failure == nil, "the load \(index) beside it: \(record.ends)")
      #expect(String(decoding: record.body, as: UTF8.self) == "beside it")
    }

    isPaused.store(false, ordering: .relaxed)
    unread.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(30)))
    #expect(observer.record.failure == nil)
    #expect(difference(observer.record.body, large) == nil)
  }

  @Test func `a cancelled stream is reset without delay, though others share its connection`() async throws {
    let isReset = Gate()
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let first = try connection.nextRequest()
      let second = try connection.nextRequest()
      // Both have begun, and neither goes on.
      for stream in [first, second] {
        try connection.sendHead(stream: stream)
        try connection.sendData(stream: stream, "a part".utf8)
      }
      while let frame = try connection.nextFrame() {
        guard frame.kind == .resetStream, frame.stream == first else { continue }
        isReset.open()
        try connection.sendData(stream: second, " and the rest".utf8, isLast: true)
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
    for observer in observers { #expect(await observer.bytesArrived.wait(within: .seconds(30))) }
    transfers[0].cancel()
    #expect(await isReset.wait(within: .seconds(5)))
    #expect(await observers[1].ended.wait(within: .seconds(30)))
    #expect(String(decoding: observers[1].record.body, as: UTF8.self) == "a part and the rest")
  }

  /// libcurl goes back to the start of a body only for what it has sent, and forgets what it has read beyond that.
  @Test func `a body that was read and not sent is sent from its start the next time`() async throws {
    let body = Self.pattern(200_000)
    let attempts = Mutex(0)
    let received = Mutex([UInt8]())
    let server = try HTTP2FaultServer { connection in
      let isFirst = attempts.withLock { count in
        count += 1
        return count == 1
      }
      // Over the first connection no body may be sent.
      let closedWindows: [(UInt16, UInt32)] = [(HTTP2Connection.initialWindowSize, 0)]
      try connection.handshake(settings: isFirst ? closedWindows : [])
      if isFirst {
        let stream = try connection.nextRequest()
        try connection.sendHead(stream: stream, status: 204, isLast: true)
        let (next, _) = try connection.nextHead()
        // The client has answered this when it has no more to send.
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
