import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Requests with `Expect: 100-continue` that a server answers with 417. The server counts what it receives.
@Suite(.timeLimit(.minutes(5))) struct TransferExpectationTests {
  private static func request(
    _ method: String, _ url: String, _ body: TransferBody, expectation: String = "100-continue"
  ) -> TransferRequest {
    var request = TransferRequest(url: url)
    request.method = method
    request.body = body
    request.headers = [TransferHeader("expect", expectation)]
    return request
  }

  private static let refusal =
    "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 4\r\nSet-Cookie: a=b\r\n\r\nnope"

  /// Refuses each expectation. The log has the method, the expectation and the number of bytes after the head.
  private static func refusingServer(_ log: Log, alwaysRefuses: Bool = false) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let head = try connection.readHead() else { return }
      guard let expectation = head["Expect"] else {
        log.add("\(head.method) - \(try connection.readBody(of: head).count)")
        return try connection.send(
          alwaysRefuses ? refusal : String(decoding: Reply(text: "thanks").bytes, as: UTF8.self))
      }
      try connection.send(refusal)
      var count = 0
      while case let bytes = (try? connection.read()) ?? [], !bytes.isEmpty { count += bytes.count }
      log.add("\(head.method) \(expectation) \(count)")
    }
  }

  final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    /// The entries in alphabetical order: two connections write them.
    var all: [String] { entries.withLock { $0.sorted() } }
  }

  private static let bodies: [TransferRetryTests.BodyKind] = [.short, .long, .stream]

  @Test(arguments: bodies, ["POST", "PUT", "PATCH"])
  func `a request whose expectation is refused is sent again without it, once`(
    kind: TransferRetryTests.BodyKind, method: String
  ) async throws {
    let log = Log()
    let server = try Self.refusingServer(log)
    let record = try await TransferClient().run(Self.request(method, server.address(), kind.body))
    #expect(record.failure == nil)
    #expect(record.heads.map(\.status) == [200])
    #expect(String(decoding: record.body, as: UTF8.self) == "thanks")
    #expect(record.sent.last == Int64(kind.count))
    #expect(await eventually { log.all.count == 2 })
    #expect(log.all == ["\(method) - \(kind.count)", "\(method) 100-continue 0"])
  }

  @Test(arguments: bodies)
  func `a second 417 is the response`(kind: TransferRetryTests.BodyKind) async throws {
    let log = Log()
    let server = try Self.refusingServer(log, alwaysRefuses: true)
    let record = try await TransferClient().run(Self.request("POST", server.address(), kind.body))
    #expect(record.failure == nil)
    #expect(record.heads.map(\.status) == [417])
    #expect(await eventually { log.all.count == 2 })
    #expect(log.all == ["POST - \(kind.count)", "POST 100-continue 0"])
  }

  @Test(arguments: bodies)
  func `after a part of the body was sent, 417 is the response`(
    kind: TransferRetryTests.BodyKind
  ) async throws {
    let log = Log()
    let server = try ScriptedServer { connection in
      guard let head = try connection.readHead() else { return }
      log.add(head.method)
      try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
      _ = try connection.read(exactly: 9)
      try connection.send(Self.refusal)
      try connection.readUntilClosed()
    }
    let record = try await TransferClient().run(Self.request("POST", server.address(), kind.body))
    #expect(record.heads.map(\.status) == [417])
    #expect(log.all == ["POST"])
  }

  @Test(arguments: bodies)
  func `a server that agrees gets the body once`(kind: TransferRetryTests.BodyKind) async throws {
    let server = try ScriptedServer.http { Reply(text: "\($0.body.count)") }
    let record = try await TransferClient().run(Self.request("POST", server.address(), kind.body))
    #expect(String(decoding: record.body, as: UTF8.self) == "\(kind.count)")
    #expect(server.requests.count == 1)
  }

  @Test func `without an expectation, 417 is the response`() async throws {
    let server = try ScriptedServer.http { _ in Reply(417, text: "nope") }
    var request = Self.request("POST", server.address(), TransferRetryTests.BodyKind.short.body)
    request.headers = []
    let record = try await TransferClient().run(request)
    #expect(record.heads.map(\.status) == [417])
    #expect(server.requests.count == 1)
  }
}
