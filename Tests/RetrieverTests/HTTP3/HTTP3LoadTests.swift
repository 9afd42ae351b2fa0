#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Loads over HTTP/3 from a server that supports it.
@Suite(.enabled(if: HTTP3Fixture.isAvailable), .serialized, .timeLimit(.minutes(5)))
struct HTTP3LoadTests {
  @Test func `a request that assumes HTTP/3 uses it at first, and the next one shares the connection`()
    async throws
  {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session()
    for isReused in [false, true] {
      let log = TransactionLog()
      let (body, response) = try await session.data(
        for: HTTP3Fixture.request(server.url()), delegate: log)
      #expect(String(decoding: body, as: UTF8.self) == "hello")
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      let transaction = try #require(log.transactions.all.first)
      #expect(transaction.networkProtocolName == "h3")
      #expect(transaction.isReusedConnection == isReused)
      #expect(transaction.remotePort == Int(server.port))
    }
  }

  @Test func `an announced server is reached over HTTP/2 first and then over HTTP/3`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session()
    let request = HTTP3Fixture.request(server.url(), assumes: false)
    var protocols: [String] = []
    for _ in 0..<3 { protocols.append(try await session.load(request).protocolName) }
    #expect(protocols == ["h2", "h3", "h3"])
    // Another session knows nothing of it.
    #expect(try await HTTP3Fixture.session().load(request).protocolName == "h2")
  }

  @Test func `a session that may not use HTTP/3 does not`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session { $0.usesHTTP3 = false }
    for _ in 0..<2 {
      #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h2")
    }
  }

  @Test func `a body is sent and received unchanged, and once`() async throws {
    let backend = try ScriptedServer.http { Reply(body: $0.body) }
    let server = try CaddyServer(backend: backend.port)
    let session = try HTTP3Fixture.session()
    for count in [0, 1, 70_000, 12_000_000] {
      let body = Data.pattern(count: count)
      let request = HTTP3Fixture.request(server.url("/app/\(count)"), method: "POST", body: body)
      let answer = try await session.load(request)
      #expect(answer.body == body)
      #expect(answer.protocolName == "h3")
    }
    #expect(backend.requests.map(\.body.count) == [0, 1, 70_000, 12_000_000])
  }

  @Test func `a long body arrives complete`() async throws {
    let server = try CaddyServer()
    let body = Data.pattern(count: 64 << 20)
    try body.write(to: server.documentRoot.appendingPathComponent("long"))
    let session = try HTTP3Fixture.session()
    let answer = try await session.load(HTTP3Fixture.request(server.url("/files/long")))
    #expect(answer.body == body)
    #expect(answer.protocolName == "h3")
  }

  @Test func `a body beyond the session's limit fails`() async throws {
    let server = try CaddyServer()
    try Data.pattern(count: 32 << 20).write(to: server.documentRoot.appendingPathComponent("long"))
    let session = try HTTP3Fixture.session { $0.maximumBufferedBodySize = 1 << 20 }
    let code = await errorCode {
      _ = try await session.data(for: HTTP3Fixture.request(server.url("/files/long")))
    }
    #expect(code == .dataLengthExceedsMaximum)
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
  }

  @Test func `64 loads share one connection`() async throws {
    let server = try CaddyServer()
    try Data.pattern(count: 100_000).write(to: server.documentRoot.appendingPathComponent("file"))
    let session = try HTTP3Fixture.session()
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    let log = TransactionLog()
    try await withThrowingTaskGroup(of: Data.self) { group in
      // Loads of one URL would share a response.
      for number in 0..<64 {
        group.addTask {
          let url = server.url("/files/file?\(number)")
          return try await session.data(for: HTTP3Fixture.request(url), delegate: log).0
        }
      }
      for try await body in group { #expect(body == Data.pattern(count: 100_000)) }
    }
    #expect(log.protocols == Array(repeating: "h3", count: 64))
    #expect(log.transactions.all.count { $0.isReusedConnection } == 64)
  }

  @Test func `a cancelled load ends, and others over its connection continue`() async throws {
    let asked = Gate()
    let mayAnswer = Gate()
    let backend = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        asked.open()
        if request.path.hasSuffix("held") { try connection.hold() }
        try connection.wait(for: mayAnswer)
        try connection.send(Reply(text: "done"))
      }
    }
    let server = try CaddyServer(backend: backend.port)
    let session = try HTTP3Fixture.session()
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    let held = Task { try await session.data(for: HTTP3Fixture.request(server.url("/app/held"))) }
    #expect(await asked.wait(within: .seconds(90)))
    let other = Task { try await session.load(HTTP3Fixture.request(server.url("/app/other"))) }
    #expect(await eventually { backend.requests.count == 2 })
    held.cancel()
    #expect(await errorCode { _ = try await held.value } == .cancelled)
    mayAnswer.open()
    let answer = try await other.value
    #expect(String(decoding: answer.body, as: UTF8.self) == "done")
    #expect(answer.protocolName == "h3")
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
  }

  @Test func `streams and downloads use HTTP/2, where a slow reader stops the server`() async throws {
    let server = try CaddyServer()
    let body = Data.pattern(count: 8 << 20)
    try body.write(to: server.documentRoot.appendingPathComponent("long"))
    let session = try HTTP3Fixture.session()
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    let request = HTTP3Fixture.request(server.url("/files/long"))
    let log = TransactionLog()
    let (bytes, _) = try await session.bytes(for: request, delegate: log)
    var received = Data()
    for try await chunk in bytes.chunks {
      received.append(contentsOf: chunk)
      await Task.yield()
    }
    #expect(received == body)
    let (file, _) = try await session.download(for: request, delegate: log)
    #expect(try Data(contentsOf: file) == body)
    try FileManager.default.removeItem(at: file)
    #expect(await eventually { log.protocols == ["h2", "h2"] })
  }

  @Test func `a recorded archive names the protocol`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session()
    session.archive.isRecording = true
    _ = try await session.data(for: HTTP3Fixture.request(server.url()))
    let text = String(decoding: try session.archive.har(), as: UTF8.self)
    #expect(text.replacing("\\/", with: "/").contains(#""HTTP/3""#))
  }
}
#endif
