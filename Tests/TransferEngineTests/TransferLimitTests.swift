import Foundation
import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct TransferLimitTests {
  private let client: TransferClient

  init() throws { client = try TransferClient() }

  @Test(arguments: [Duration.zero, .seconds(-5)])
  func `a time-out of zero fails immediately`(timeout: Duration) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "never") }
    var request = TransferRequest(url: server.address())
    request.idleTimeout = timeout
    let record = try await client.run(request)
    #expect(record.failure?.code == .timedOut)
    #expect(record.heads.isEmpty)
    try await client.expectUsable()
  }

  @Test func `a server that never responds causes a time-out`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var request = TransferRequest(url: server.address())
    request.idleTimeout = .milliseconds(150)
    let start = ContinuousClock.now
    let record = try await client.run(request)
    #expect(record.failure?.code == .timedOut)
    #expect(start.duration(to: .now) >= .milliseconds(150))
    try await client.expectUsable()
  }

  @Test func `the error message says which time-out expired`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var request = TransferRequest(url: server.address())
    request.idleTimeout = .milliseconds(100)
    request.deadline = TransferDeadline(after: .seconds(60))
    var record = try await client.run(request)
    #expect(record.failure == .timedOut(after: .milliseconds(100)))
    request.idleTimeout = .seconds(60)
    request.deadline = TransferDeadline(after: .milliseconds(100))
    record = try await client.run(request)
    #expect(record.failure?.code == .timedOut)
    #expect(record.failure?.message.contains("no data was received") == false)
  }

  @Test func `every byte restarts the idle time-out`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n")
      try connection.sendSlowly(Array(repeating: UInt8(ascii: "x"), count: 40), pause: .milliseconds(100))
    }
    var request = TransferRequest(url: server.address())
    // Shorter than the entire response, and much longer than the delay between two bytes on a busy machine.
    request.idleTimeout = .seconds(3)
    let record = try await client.run(request)
    #expect(record.failure == nil)
    #expect(record.body.count == 40)
  }

  @Test func `a paused consumer does not cause a time-out`() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"), .send("b"), .hold,
    ])
    let observer = RecordingObserver(onHead: { _ in .pause })
    var request = TransferRequest(url: server.address())
    // A busy machine may take a while to send the head.
    request.idleTimeout = .seconds(3)
    let transfer = client.makeTransfer(request, observer: observer)
    transfer.start()
    #expect(await observer.headArrived.wait(within: .seconds(90)))
    #expect(await !observer.ended.wait(within: .seconds(4)))
    transfer.resumeReceiving()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.body == Array("ab".utf8))
  }

  @Test func `the deadline applies while bytes keep arriving`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\n\r\n")
      try connection.sendSlowly(Array(repeating: UInt8(ascii: "x"), count: 100_000), pause: .milliseconds(10))
    }
    var request = TransferRequest(url: server.address())
    // Long enough for the head to arrive on a busy machine.
    request.deadline = TransferDeadline(after: .seconds(3))
    let record = try await client.run(request)
    #expect(record.failure?.code == .timedOut)
    #expect(record.heads.count == 1)
    try await client.expectUsable()
  }

  @Test func `the deadline applies while the transfer is paused`() async throws {
    let server = try ScriptedServer([.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nbody"), .hold])
    let observer = RecordingObserver(onHead: { _ in .pause })
    var request = TransferRequest(url: server.address())
    request.deadline = TransferDeadline(after: .milliseconds(200))
    #expect(try await client.run(request, observer: observer).failure?.code == .timedOut)
  }

  @Test func `a deadline in the past fails the transfer`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var request = TransferRequest(url: server.address())
    request.deadline = TransferDeadline(after: .zero)
    #expect(try await client.run(request).failure?.code == .timedOut)
  }

  @Test func `a body larger than the limit is an error`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(body: Data(count: Int(request.target.dropFirst()) ?? 0), framing: .chunked(700))
    }
    for (length, fits) in [(0, true), (1000, true), (1001, false), (100_000, false)] {
      var request = TransferRequest(url: server.address("/\(length)"))
      request.limits.bodyBytes = 1000
      let record = try await client.run(request)
      #expect(record.failure?.code == (fits ? nil : .bodyTooLarge))
      #expect(record.byteCount <= 1000)
    }
    try await client.expectUsable()
  }

  @Test func `the body limit applies to decoded bytes`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Content-Encoding", "gzip")], body: CompressedFixture.gzipBomb(size: 64 << 20))
    }
    var request = TransferRequest(url: server.address())
    request.limits.bodyBytes = 1 << 20
    let record = try await client.run(request, observer: RecordingObserver(keepsBody: false))
    #expect(record.failure?.code == .bodyTooLarge)
    #expect(record.byteCount <= 1 << 20)
  }

  @Test func `an endless head is an error`() async throws {
    let line = "X-Filler: \(String(repeating: "x", count: 200))\r\n"
    let server = try ScriptedServer([.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever(line)])
    var request = TransferRequest(url: server.address())
    request.limits.headerBytes = 64 << 10
    #expect(try await client.run(request).failure?.code == .headTooLarge)
    try await client.expectUsable()
  }

  @Test func `endless interim responses are an error`() async throws {
    let server = try ScriptedServer([.readRequest, .sendForever("HTTP/1.1 103 Early Hints\r\n\r\n")])
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == .tooManyInformationalResponses)
    #expect(record.informational.count == 64)
    try await client.expectUsable()
  }

  @Test func `endless trailers are an error`() async throws {
    let line = "X-Filler: \(String(repeating: "x", count: 200))\r\n"
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"),
      .sendForever(line),
    ])
    let record = try await client.run(TransferRequest(url: server.address()))
    #expect(record.failure != nil)
    try await client.expectUsable()
  }

  @Test func `a request body that ends before its length fails without a time-out`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var request = TransferRequest(url: server.address())
    request.method = "PUT"
    request.body = .source(ScriptedBody([1, 2, 3], length: 5))
    let record = try await client.run(request)
    #expect(record.failure?.code == .requestBodyFailed)
    #expect(record.failure?.message.contains("3 of 5 bytes") == true)
    try await client.expectUsable()
  }
}
