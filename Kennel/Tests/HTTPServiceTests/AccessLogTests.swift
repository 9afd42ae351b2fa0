import Foundation
import HTTPService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AccessLogTests {
  @Test func `the access log contains every request, without its query`() async throws {
    let entries = Notes<HTTPServerConfiguration.AccessLogEntry>()
    let errors = Notes<String>()
    struct Secret: Error {}
    try await withServer(
      {
        $0.onAccess = { entries.add($0) }
        $0.onError = { errors.add("\($0.method) \($0.path) \($0.error)") }
      },
      handler: { request in
        switch request.path {
        case "/stream": return HTTPResponse(body: .stream { try await $0.write("12345") })
        case "/fail": throw Secret()
        case "/only": return .methodNotAllowed(allowing: [.get, .head])
        default: return .text("four")
        }
      }
    ) { server in
      let client = try RawClient(port: server.port)
      let answers = try await client.blocking { client in
        try ["GET /a%20b?token=x", "GET /stream", "GET /fail?token=x", "PUT /only"].map { line in
          try client.send("\(line) HTTP/1.1\r\nHost: a\r\n\r\n")
          return try client.readResponse()
        }
      }
      #expect(answers[2].status == 500 && !answers[2].text.contains("Secret"))
      #expect(answers[3].status == 405 && answers[3].field("Allow") == "GET, HEAD")
      #expect(await eventually { entries.all.count == 4 })
      #expect(entries.all.map(\.path) == ["/a%20b", "/stream", "/fail", "/only"])
      #expect(entries.all.map { $0.status ?? 0 } == [200, 200, 500, 405])
      #expect(entries.all.prefix(2).map(\.bodyBytes) == [4, 5])
      let areComplete = entries.all.allSatisfy { $0.isComplete && $0.remoteAddress == "127.0.0.1" }
      #expect(areComplete)
      #expect(errors.all == ["GET /fail Secret()"])
    }
  }

  @Test func `the access log percent-encodes invalid paths`() async throws {
    let entries = Notes<HTTPServerConfiguration.AccessLogEntry>()
    try await withServer({ $0.onAccess = { entries.add($0) } }, handler: { _ in .text("four") }) { server in
      let client = try RawClient(port: server.port)
      let status = try await client.blocking { client in
        try client.send("GET /a\u{1B}[2Jb\u{E9}%20c?x HTTP/1.1\r\nHost: a\r\n\r\n")
        return try client.readResponse().status
      }
      #expect(status == 400)
      #expect(await eventually { entries.all.count == 1 })
      #expect(entries.all.map(\.path) == ["/a%1B[2Jb%C3%A9%20c"])
    }
  }
}
