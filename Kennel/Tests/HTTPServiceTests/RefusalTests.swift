import Foundation
import HTTPService
import TestSupport
import Testing

/// Tests of the responses that the server creates itself: the message and the format.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
  private static let body = "POST / HTTP/1.1\r\nHost: a\r\n"

  /// Sends a request to a server with its own refusal response.
  private func answer(
    _ text: String, _ change: (inout HTTPServerConfiguration) -> Void = { _ in },
    handler: @escaping HTTPServer.Handler = { _ in .text("fine") }
  ) async throws -> RawClient.Response {
    try await withServer(
      {
        $0.refusalResponse = { refusal in
          HTTPResponse(
            status: refusal.status, fields: ["Content-Type": "application/refusal", "X-Own": "yes"],
            body: .bytes(Data("refused: \(refusal.reason)".utf8)))
        }
        change(&$0)
      }, handler: handler
    ) { server in
      let client = try RawClient(port: server.port)
      return try await client.blocking { client in
        try client.send(text)
        return try client.readResponse()
      }
    }
  }

  @Test(arguments: [
    ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "This server does not support the method."),
    ("G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "The method is malformed."),
    (
      "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The path contains invalid percent-encoding. Write a percent sign as %25."
    ),
    (
      "GET /?a=%f HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The query contains invalid percent-encoding. Write a percent sign as %25."
    ),
    (
      "GET /%c3/ HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The path is not valid UTF-8. Percent-encode text as UTF-8."
    ),
    (
      "GET /?a=b+%ff HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The query is not valid UTF-8. Percent-encode text as UTF-8."
    ),
    (
      "GET /?%ff=%4 HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The query is not valid UTF-8. Percent-encode text as UTF-8."
    ),
    ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400, "The Host is empty."),
    ("GET http://a/ HTTP/1.1\r\nHost: \r\n\r\n", 400, "The Host is empty."),
    ("GET / HTTP/1.0\r\nHost:\r\n\r\n", 400, "The Host is empty."),
    (
      "GET /a%2Fb HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The path contains an encoded slash or a control character."
    ),
    ("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n", 400, "The path leads above the root."),
    ("GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n", 400, "The request target must begin with a slash."),
    (
      "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400,
      "The request target contains a character that must be percent-encoded."
    ),
    ("GET / HTTP/1.1\r\n\r\n", 400, "The Host is missing."),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "There is more than one Host."),
    ("GET / HTTP/1.1\r\nHost: a\r\nBad Name: b\r\n\r\n", 400, "A header field is malformed."),
    ("GET / HTTP/1.7\r\nHost: a\r\n\r\n", 505, "This server supports only HTTP/1.1 and HTTP/1.0."),
    (
      body + "Expect: tea\r\nContent-Length: 0\r\n\r\n", 417,
      "The only supported expectation is 100-continue."
    ),
    (
      body + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501,
      "The only supported transfer coding is chunked."
    ),
    (
      body + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
      "A request must not have both Content-Length and Transfer-Encoding."
    ),
    (
      body + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400,
      "The Content-Length is not a single number."
    ),
    (
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
      "HTTP/1.0 does not support Transfer-Encoding."
    ),
    (body + "Content-Length: 99999999999\r\n\r\n", 413, "The body is larger than this server allows."),
  ])
  func `requests refused before the handler give the configured refusal response`(
    text: String, status: Int, reason: String
  ) async throws {
    let answer = try await answer(text)
    #expect(answer.status == status)
    #expect(answer.text == "refused: \(reason)")
    #expect(answer.field("Content-Type") == "application/refusal" && answer.field("X-Own") == "yes")
    #expect(answer.field("Connection")?.lowercased() == "close")
  }

  @Test func `long targets and header fields give the configured refusal response`() async throws {
    let long = String(repeating: "a", count: 9000)
    let field = try await answer("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\n\r\n") {
      $0.limits.maximumHeaderSize = 8192
    }
    #expect(field.status == 431 && field.text == "refused: The header fields are too large.")
    let target = try await answer("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n") {
      $0.limits.maximumHeaderSize = 8192
    }
    #expect(target.status == 414 && target.text == "refused: The request target is too long.")
  }

  @Test func `the failure of a handler gives the configured refusal response`() async throws {
    struct Failure: Error {}
    let failed = try await answer("GET / HTTP/1.1\r\nHost: a\r\n\r\n", handler: { _ in throw Failure() })
    #expect(failed.status == 500 && failed.text == "refused: The server failed to answer this request.")
    let unsendable = try await answer(
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", handler: { _ in HTTPResponse(fields: ["X": "a\r\nb"]) })
    #expect(unsendable.status == 500 && unsendable.field("X-Own") == "yes")
    let large = try await answer(
      Self.body + "Content-Length: 5\r\n\r\nabcde",
      handler: { request in
        _ = try await request.body.collectedBody(upTo: 4)
        return .text("fine")
      })
    #expect(large.status == 413 && large.text == "refused: The body is larger than this server allows.")
    // A body without an announced length.
    let chunked = try await answer(Self.body + "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n") {
      $0.limits.maximumBodySize = 4
    } handler: { request in
      _ = try await request.body.collectedBody(upTo: 1000)
      return .text("fine")
    }
    #expect(chunked.status == 413 && chunked.text == "refused: The body is larger than this server allows.")
  }

  @Test func `an invalid refusal response is replaced by plain text`() async throws {
    let broken: [HTTPResponse] = [
      HTTPResponse(status: 400, fields: ["X": "a\r\nb"]), HTTPResponse(status: 99),
      HTTPResponse(status: 400, body: .stream { _ in }),
    ]
    for response in broken {
      let answer = try await answer("BREW / HTTP/1.1\r\nHost: a\r\n\r\n") {
        $0.refusalResponse = { _ in response }
      }
      #expect(answer.status == 501 && answer.text == "This server does not support the method.\n")
      #expect(answer.field("Content-Type") == "text/plain; charset=utf-8")
    }
  }

  /// The cases in the documentation of `HTTPServerConfiguration.refusalResponse`.
  @Test(arguments: [
    ("GET / FOO\r\n\r\n", 400), ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400),
    (body + "Content-Length: -3\r\n\r\nabc", 400),
    (body + "Content-Length: 99999999999999999999\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 60_000))\r\n\r\n", 431),
    ("GET /\(String(repeating: "a", count: 60_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    (body + "Transfer-Encoding: chunked\r\n\r\nx\r\n", 400),
    (body + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", 413),
  ])
  func `requests that libmicrohttpd refuses do not use the refusal response`(
    text: String, status: Int
  ) async throws {
    let answer = try await answer(
      text,
      handler: { request in
        _ = try await request.body.collectedBody(upTo: 1000)
        return .text("fine")
      })
    #expect(answer.status == status)
    // The library's HTML has no content type. For an invalid Content-Length, version 0.9.75 writes the head twice.
    #expect(answer.field("X-Own") == nil && answer.field("Content-Type") == nil)
  }

  @Test func aLineWithoutASpaceIsNotAnswered() async throws {
    try await withServer(handler: { _ in .text("fine") }) { server in
      let client = try RawClient(port: server.port)
      let answer = try await client.blocking { client in
        try client.send("hello\r\n\r\n")
        return try client.readToEnd()
      }
      #expect(answer.isEmpty)
    }
  }
}
