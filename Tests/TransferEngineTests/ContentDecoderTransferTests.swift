import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct ContentDecoderTransferTests {
  private let client: TransferClient

  init() throws { client = try TransferClient() }

  private func server(
    _ body: [UInt8], _ encoding: String = "gzip", framing: Reply.Framing = .contentLength
  ) throws -> ScriptedServer {
    try ScriptedServer.http { _ in
      Reply(headers: [("Content-Encoding", encoding)], body: Data(body), framing: framing)
    }
  }

  // MARK: Requested codings

  @Test(
    arguments: [
      (nil, "gzip, deflate, br, zstd"), ("gzip;q=0.5", "gzip;q=0.5"), ("identity", "identity"), ("", nil),
    ] as [(String?, String?)])
  func `Accept-Encoding lists the requested codings`(asked: String?, sent: String?) async throws {
    let server = try ScriptedServer.http { Reply(text: $0["Accept-Encoding"] ?? "none") }
    for headers in [[], [TransferHeader("X-A", "b")], []] {
      for body in [.none, .bytes([1]), .source(ScriptedBody([1], length: 1))] as [TransferBody] {
        var request = TransferRequest(url: server.address())
        request.method = if case .none = body { "GET" } else { "POST" }
        request.body = body
        request.headers = headers
        request.acceptedEncodings = asked
        let record = try await client.run(request)
        #expect(String(decoding: record.body, as: UTF8.self) == sent ?? "none")
      }
    }
  }

  @Test func `a reused handle sends the Accept-Encoding of its current request`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0["Accept-Encoding"] ?? "none") }
    for asked in [nil, "", "br", nil, "", nil] as [String?] {
      var request = TransferRequest(url: server.address())
      request.acceptedEncodings = asked
      let record = try await client.run(request)
      let expected = asked == "" ? "none" : asked ?? ContentCoding.defaultAcceptEncoding
      #expect(String(decoding: record.body, as: UTF8.self) == expected)
    }
  }

  @Test func `a coding that was not requested is not decoded`() async throws {
    let bytes = try Encoded.encode(Encoded.shortText, .gzip)
    let server = try server(bytes)
    var request = TransferRequest(url: server.address())
    request.acceptedEncodings = ""
    let record = try await client.run(request)
    #expect(record.failure == nil)
    #expect(record.body == bytes)
  }

  // MARK: Responses

  @Test(arguments: Encoded.Form.allCases) func theBodyIsDecoded(form: Encoded.Form) async throws {
    let bytes = try Encoded.encode(Encoded.longBody, form)
    for framing in [Reply.Framing.contentLength, .chunked(777)] {
      let server = try server(bytes, form.coding.rawValue, framing: framing)
      let record = try await client.run(TransferRequest(url: server.address()))
      #expect(record.failure == nil)
      #expect(difference(record.body, Encoded.longBody) == nil)
      #expect(record.ends.last?.receivedBytes == Int64(Encoded.longBody.count))
      #expect(record.heads.last?.mentions.contains(.contentEncoding) == true)
      #expect(record.heads.last?.contentEncoding?.contains(form.coding.rawValue) == true)
    }
  }

  @Test func severalFieldsAreOneList() async throws {
    let bytes = try Encoded.encode(Encoded.encode(Encoded.shortText, .brotli), .gzip)
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Content-Encoding", "br"), ("content-encoding", "x-gzip")], body: Data(bytes))
    }
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure == nil)
    #expect(record.body == Encoded.shortText)
  }

  @Test func `the coding of an interim response does not apply to the final one`() async throws {
    let server = try ScriptedServer([
      .readRequest,
      .send("HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n"),
      .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain"),
    ])
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure == nil)
    #expect(record.body == Array("plain".utf8))
  }

  @Test func `a body with an unknown coding is delivered unchanged`() async throws {
    let server = try server(Array("uryyb".utf8), "rot13")
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure == nil)
    #expect(record.body == Array("uryyb".utf8))
  }

  @Test(arguments: [("HEAD", 200), ("GET", 204), ("GET", 304), ("GET", 200)])
  func `a response without a body is not an error`(method: String, status: Int) async throws {
    let server = try ScriptedServer([
      .readRequest,
      .send("HTTP/1.1 \(status) X\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"),
    ])
    var request = TransferRequest(url: server.address())
    request.method = method
    let record = try await client.run(request)
    #expect(record.failure == nil)
    #expect(record.body.isEmpty)
  }

  @Test func `a truncated stream is an error after its data was delivered`() async throws {
    let bytes = try Encoded.encode(Encoded.longBody, .gzip)
    let server = try server(bytes.dropLast(8))
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(
      record.failure
        == TransferFailure(
          .undecodableBody, message: "The body is incomplete: its gzip stream ends too early."))
    #expect(difference(record.body, Encoded.longBody) == nil)
    try await client.expectUsable()
  }

  @Test func aCorruptStreamEndsTheTransfer() async throws {
    let server = try server(Array(CompressedFixture.corruptGzip))
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == .undecodableBody)
    #expect(record.body.isEmpty)
    try await client.expectUsable()
  }

  @Test func `a lost connection is not reported as a truncated stream`() async throws {
    let bytes = try Encoded.encode(Encoded.longBody, .gzip)
    let server = try ScriptedServer([
      .readRequest,
      .send(
        Data("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
          + Data(bytes.prefix(100_000))),
    ])
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == .connectionLost)
    #expect(Encoded.longBody.starts(with: record.body))
  }

  // MARK: Pausing

  @Test(arguments: Encoded.Form.allCases) func pausingAfterEachPieceDeliversEveryPiece(form: Encoded.Form)
    async throws
  {
    // Zeros as well, which decode from few bytes: the entire body has arrived, and most of it waits.
    for body in [Encoded.longBody, [UInt8](repeating: 0, count: 3_000_000)] {
      let server = try server(try Encoded.encode(body, form), form.coding.rawValue)
      let box = TransferBox()
      let observer = RecordingObserver(onBytes: { _ in
        box.transfer?.resumeReceiving()
        return .pause
      })
      let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
      box.set(transfer)
      transfer.start()
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure == nil)
      #expect(difference(observer.record.body, body) == nil)
      #expect(observer.record.ends.count == 1 && observer.record.afterEnd == 0)
      box.set(nil)
    }
  }

  /// Starts a transfer of a 1 MiB body, encoded in about a thousand bytes, whose consumer pauses after the first piece.
  private func pausedTransfer(
    cutBy cut: Int = 0, bodyLimit: Int64? = nil
  ) async throws -> (Transfer, RecordingObserver, ScriptedServer, resume: @Sendable () -> Void) {
    let bytes = try Encoded.encode([UInt8](repeating: 0, count: 1 << 20), .gzip)
    let server = try server(Array(bytes.dropLast(cut)))
    let pauses = Switch()
    let observer = RecordingObserver(onBytes: { _ in pauses.isOn ? .pause : .proceed })
    var request = TransferRequest(url: server.address())
    request.collectsTimings = true
    request.limits.bodyBytes = bodyLimit
    let transfer = client.makeTransfer(request, observer: observer)
    transfer.start()
    try #require(await observer.bytesArrived.wait(within: .seconds(90)))
    // All data has arrived by now, and the connection is free for other transfers.
    try await client.expectUsable()
    #expect(await !observer.ended.wait(within: .milliseconds(150)))
    #expect(observer.record.byteCount == 64 << 10)
    let resume: @Sendable () -> Void = {
      pauses.turnOff()
      transfer.resumeReceiving()
    }
    return (transfer, observer, server, resume)
  }

  @Test func `the end is reported after all data was delivered`() async throws {
    let (_, observer, server, resume) = try await pausedTransfer()
    #expect(server.requests.count == 1)
    resume()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil)
    #expect(observer.record.byteCount == 1 << 20)
    #expect(observer.record.ends.last?.timings?.responseStart != nil)
  }

  @Test func `a truncation is reported after the kept data`() async throws {
    let (_, observer, _, resume) = try await pausedTransfer(cutBy: 3)
    resume()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == .truncated(.gzip))
    #expect(observer.record.byteCount == 1 << 20)
  }

  @Test func `the body limit applies to kept data`() async throws {
    let (_, observer, _, resume) = try await pausedTransfer(bodyLimit: 500_000)
    resume()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .bodyTooLarge)
    #expect(observer.record.byteCount <= 500_000)
    try await client.expectUsable()
  }

  @Test func cancellingDoesNotWaitForTheConsumer() async throws {
    let (transfer, observer, _, resume) = try await pausedTransfer()
    transfer.cancel()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .cancelled)
    resume()
    try await client.expectUsable()
    #expect(observer.record.ends.count == 1 && observer.record.afterEnd == 0)
    #expect(observer.record.byteCount == 64 << 10)
  }

  @Test func theDeadlineDoesNotWaitForTheConsumer() async throws {
    let server = try server(try Encoded.encode([UInt8](repeating: 0, count: 1 << 20), .gzip))
    let observer = RecordingObserver(onBytes: { _ in .pause })
    var request = TransferRequest(url: server.address())
    request.deadline = TransferDeadline(after: .seconds(5))
    // A consumer that pauses is not the server's fault, so it must not cause an idle time-out.
    request.idleTimeout = .seconds(3)
    let start = ContinuousClock.now
    let record = try await client.run(request, observer: observer)
    #expect(record.failure?.code == .timedOut)
    #expect(record.byteCount == 64 << 10)
    #expect(start.duration(to: .now) >= .seconds(5))
  }

  @Test func `a paused consumer stops the server, also for an encoded body`() async throws {
    let sent = Atomic<Int>(0)
    let piece = [UInt8](repeating: 0x55, count: 60_000)
    let member = Array(CompressedFixture.gzip(Data(piece)))
    let count = 1500
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n")
      for _ in 0..<count {
        try connection.send(member)
        sent.wrappingAdd(1, ordering: .relaxed)
      }
    }
    let pauses = Switch()
    let observer = RecordingObserver(keepsBody: false, onBytes: { _ in pauses.isOn ? .pause : .proceed })
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    #expect(await observer.bytesArrived.wait(within: .seconds(90)))
    #expect(await !observer.ended.wait(within: .milliseconds(500)))
    #expect(sent.load(ordering: .relaxed) < count / 2)
    pauses.turnOff()
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure == nil)
    #expect(observer.record.byteCount == count * piece.count)
  }

  private final class Switch: Sendable {
    private let state = Atomic<Bool>(true)
    var isOn: Bool { state.load(ordering: .relaxed) }
    func turnOff() { state.store(false, ordering: .relaxed) }
  }
}
