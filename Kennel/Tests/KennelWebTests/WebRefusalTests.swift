import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelWeb

/// A request that the server refuses before it reaches the site also gets a problem document.
@Suite(.timeLimit(.minutes(5))) struct WebRefusalTests {
  @Test(arguments: [
    ("BREW /posts HTTP/1.1\r\nHost: localhost\r\n", 501, "Not Implemented"),
    ("GET /posts/%zz HTTP/1.1\r\nHost: localhost\r\n", 400, "Bad Request"),
    ("GET /a b HTTP/1.1\r\nHost: localhost\r\n", 400, "Bad Request"),
    ("GET /posts HTTP/1.1\r\n", 400, "Bad Request"),
    ("GET /posts HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n", 400, "Bad Request"),
    ("GET /posts HTTP/1.7\r\nHost: localhost\r\n", 505, "HTTP Version Not Supported"),
    ("GET /posts HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n", 417, "Expectation Failed"),
    ("POST /posts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n", 501, "Not Implemented"),
    ("POST /posts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n", 413, "Content Too Large"),
    (
      "GET /posts HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 40_000))\r\n", 431,
      "Request Header Fields Too Large"
    ),
    ("GET /\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\nHost: localhost\r\n", 414, "URI Too Long"),
  ]) func itIsAProblemDocument(head: String, status: Int, title: String) async throws {
    try await withSite { web in
      let answer = try await RawClient(port: web.port).exchange(head + "Connection: close\r\n\r\n")
      let parts = answer.components(separatedBy: "\r\n\r\n")
      let lines = parts[0].components(separatedBy: "\r\n")
      #expect(lines[0].hasPrefix("HTTP/1.1 \(status) "))
      for field in [
        "Content-Type: application/problem+json", "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Content-Security-Policy: \(CommonFields.contentSecurityPolicy)",
      ] {
        #expect(lines.contains(field), "\(field)")
      }
      let problem = try JSONDecoder().decode(JSONValue.self, from: Data(parts[1].utf8))
      #expect(problem["status"]?.number == status && problem["title"]?.string == title)
      #expect(problem["detail"]?.string?.hasSuffix(".") == true)
    }
  }
}
