import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Responses whose framing is invalid, or contradicts itself.
@Suite(.timeLimit(.minutes(5))) struct TransferFramingTests {
  /// Sends a response and ends the connection.
  private static func run(_ response: String) async throws -> RecordingObserver.Record {
    let server = try ScriptedServer([.readRequest, .send(response)])
    return try await TransferClient().run(TransferRequest(url: server.address()))
  }

  @Test(arguments: [
    "Transfer-Encoding: identity", "Transfer-Encoding:", "Transfer-Encoding: ,",
    "Transfer-Encoding: chunked, chunked", "Transfer-Encoding:\r\n chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\n , chunked",
  ])
  func `a body without valid chunked framing is refused, also with a length`(fields: String) async throws {
    for head in ["\(fields)\r\nContent-Length: 100", "Content-Length: 100\r\n\(fields)", fields] {
      let record = try await Self.run("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n2\r\nok\r\n0\r\n\r\n")
      #expect(record.failure?.code == .badReply, "\(head)")
      #expect(record.byteCount == 0, "\(head)")
    }
  }

  @Test(arguments: [
    "5 10", "1\r\n 0", "5, 10", "0x10", "5;", "+5", "-5", "", ",", "5,", "5.0", "99999999999999999999", "٥",
  ])
  func `an invalid Content-Length is refused`(value: String) async throws {
    let record = try await Self.run("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")
    #expect(record.failure?.code == .badReply)
  }

  @Test(arguments: ["5", " 5 ", "5, 5", "5,5\t", "005", "5\r\nContent-Length: 5"])
  func `a valid Content-Length is accepted`(value: String) async throws {
    let record = try await Self.run("HTTP/1.1 200 OK\r\nContent-Length:\(value)\r\n\r\nhello")
    #expect(record.failure == nil)
    #expect(String(decoding: record.body, as: UTF8.self) == "hello")
  }

  @Test func `a folded Content-Encoding field is refused`() async throws {
    let record = try await Self.run(
      "HTTP/1.1 200 OK\r\nContent-Encoding:\r\n gzip\r\nContent-Length: 1\r\n\r\nx")
    #expect(record.failure?.code == .badReply)
  }

  @Test func `a folded field of another kind is accepted`() async throws {
    let record = try await Self.run("HTTP/1.1 200 OK\r\nX-Note: a\r\n b\r\nContent-Length: 1\r\n\r\nx")
    #expect(record.failure == nil)
  }

  @Test(arguments: ["GET", "POST"])
  func `data that nobody requested is not the response to the next request`(method: String) async throws {
    let (firstIsRead, isPoisoned) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        try connection.send(Reply(text: request.target))
        guard request.target == "/first" else { continue }
        // The first response is complete for the client before this one follows.
        try connection.wait(for: firstIsRead)
        try connection.send(Reply(text: "poison"))
        isPoisoned.open()
      }
    }
    let client = try TransferClient()
    let first = try await client.run(TransferRequest(url: server.address("/first")))
    #expect(String(decoding: first.body, as: UTF8.self) == "/first")
    firstIsRead.open()
    #expect(await isPoisoned.wait(within: .seconds(90)))
    // The loop may be busy. After another response, it has looked at its connections.
    let other = try ScriptedServer([.readRequest, .send("HTTP/1.1 204 No Content\r\n\r\n")])
    #expect(try await client.run(TransferRequest(url: other.address())).failure == nil)
    var request = TransferRequest(url: server.address("/second"))
    request.method = method
    let second = try await client.run(request)
    #expect(second.failure == nil)
    #expect(String(decoding: second.body, as: UTF8.self) == "/second")
    #expect(server.connectionCount == 2)
  }

  @Test func `a status line cannot switch a connection to the rules of HTTP 2`() async throws {
    let server = try ScriptedServer([.readRequest, .send("HTTP/2 200 OK\r\n\r\ncut")])
    let port = try TLSRelay.shared().forward(to: server.port, ending: .abrupt)
    let client = try TransferClient(options: .trustingTestAuthority())
    let record = try await client.run(TransferRequest(url: "https://localhost:\(port)/"))
    #expect(record.failure != nil)
  }

  @Test func `a request is not repeated after HEADERS, although its stream was refused`() async throws {
    let count = Mutex(0)
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest()
        count.withLock { $0 += 1 }
        try connection.sendHead(stream: stream)
        try connection.reset(stream: stream, code: 7)
      }
    }
    var request = TransferRequest(url: server.address())
    request.method = "POST"
    request.body = .bytes(Array("payment".utf8))
    let record = try await TransferClient(options: .trustingTestAuthority()).run(request)
    #expect(record.failure != nil)
    #expect(count.withLock { $0 } == 1)
  }
}
