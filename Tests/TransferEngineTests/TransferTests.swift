import Foundation
import TestSupport
import Testing

@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct TransferTests {
  private let client: TransferClient

  init() throws { client = try TransferClient() }

  @Test func `head and body arrive in order, followed by one end`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [("X-A", "b")], text: "hello") }
    let record = try await client.run(TransferRequest(url: server.address("/path?query")))
    #expect(record.heads.map(\.status) == [200])
    let head = try #require(record.heads.first)
    #expect(String(decoding: head.block, as: UTF8.self).contains("X-A: b\r\n"))
    #expect(String(decoding: record.body, as: UTF8.self) == "hello")
    #expect(record.failure == nil)
    #expect(record.afterEnd == 0)
    #expect(server.requests.map(\.target) == ["/path?query"])
  }

  @Test func `one connection serves several transfers`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    for number in 0..<20 {
      let record = try await client.run(TransferRequest(url: server.address("/\(number)")))
      #expect(String(decoding: record.body, as: UTF8.self) == "/\(number)")
    }
    #expect(server.connectionCount == 1)
  }

  @Test func `a reused handle keeps nothing of the previous transfer`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(text: "\(request.method) \(request["X-Mark"] ?? "-") \(request.text)")
    }
    func ask(_ method: String, _ headers: [TransferHeader], _ body: TransferBody) async throws -> String {
      var request = TransferRequest(url: server.address())
      request.method = method
      request.headers = headers
      request.body = body
      return String(decoding: try await client.run(request).body, as: UTF8.self)
    }
    let mark = [TransferHeader("X-Mark", "m")]
    #expect(try await ask("POST", mark, .bytes(Array("body".utf8))) == "POST m body")
    #expect(try await ask("GET", [], .none) == "GET - ")
    #expect(try await ask("PATCH", [], .bytes(Array("p".utf8))) == "PATCH - p")
    #expect(try await ask("PURGE", mark, .none) == "PURGE m ")
    #expect(try await ask("PUT", [], .source(ScriptedBody(Array("put".utf8), length: 3))) == "PUT - put")
    #expect(
      try await ask("PUT", [], .source(ScriptedBody(Array("chunks".utf8), length: nil))) == "PUT - chunks")
    #expect(try await ask("GET", [], .none) == "GET - ")
  }

  @Test func `a response to HEAD has no body`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "hidden") }
    var request = TransferRequest(url: server.address())
    request.method = "HEAD"
    let record = try await client.run(request)
    #expect(record.failure == nil)
    #expect(record.body.isEmpty)
  }

  @Test func aUnixSocketIsConnectedToInsteadOfTheHost() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http(on: .unixSocket(directory.path("s"))) { request in
      Reply(text: request["Host"] ?? "")
    }
    var options = TransferClientOptions()
    options.unixSocketPath = directory.path("s")
    let client = try TransferClient(options: options)
    var request = TransferRequest(url: "http://name.invalid/path")
    request.collectsTimings = true
    let record = try await client.run(request)
    #expect(String(decoding: record.body, as: UTF8.self) == "name.invalid")
    #expect(server.requests.map(\.target) == ["/path"])
    let timings = try #require(record.ends.last?.timings)
    #expect(timings.remoteAddress == directory.path("s"))
    #expect(timings.localAddress == nil && timings.localPort == nil)
  }

  @Test func `a missing Unix socket is a connection error`() async throws {
    let directory = try TemporaryDirectory()
    var options = TransferClientOptions()
    options.unixSocketPath = directory.path("missing")
    let record = try await TransferClient(options: options).run(TransferRequest(url: "http://localhost/"))
    #expect(record.failure?.code == .cannotConnect)
  }

  @Test func `the client never connects to a refused address`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "secret") }
    var options = TransferClientOptions()
    options.addressRefusal = { _, _, _ in "Not this one." }
    let record = try await TransferClient(options: options).run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == .refusedByPolicy)
    #expect(record.failure?.message == "Not this one.")
    #expect(server.connectionCount == 0)
  }

  @Test(arguments: ["", "http://", "nonsense", "gopher://127.0.0.1/", "file:///etc/passwd", "http://[::1/"])
  func `an unusable URL only fails its own transfer`(url: String) async throws {
    let record = try await client.run(TransferRequest(url: url))
    #expect(record.failure != nil)
    #expect(record.heads.isEmpty)
    try await client.expectUsable()
  }

  @Test func aHeaderWithALineBreakIsNeverSent() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "") }
    var request = TransferRequest(url: server.address())
    request.headers = [TransferHeader("A", "b\r\nEvil: yes")]
    let record = try await client.run(request)
    #expect(record.failure?.code == .badURL)
    #expect(server.requests.isEmpty)
    try await client.expectUsable()
  }

  @Test func `a port without a listener is a connection error`() async throws {
    let port = try ClosedPort()
    #expect(try await client.run(TransferRequest(url: port.address())).failure?.code == .cannotConnect)
    try await client.expectUsable()
  }

  @Test func `a released client lets its transfers finish`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([.readRequest, .waitFor(gate), .send(Reply(text: "late"))])
    let observer = RecordingObserver()
    do {
      let client = try TransferClient()
      client.makeTransfer(TransferRequest(url: server.address()), observer: observer).start()
    }
    gate.open()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(String(decoding: observer.record.body, as: UTF8.self) == "late")
  }

  @Test func `many concurrent transfers all end`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let record = try await client.run(TransferRequest(url: server.address("/\(number)")))
          #expect(String(decoding: record.body, as: UTF8.self) == "/\(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(server.connectionCount <= 6)
  }
}
