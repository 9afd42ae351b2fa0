import Foundation
import Glibc
import HTTPService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct RandomBytesTests {
  /// Pieces of valid and invalid requests.
  private static let pieces = [
    "GET ", "POST ", "/", "/%2e%2e/", "%", "?a=b", " HTTP/1.1", " HTTP/9.9", "\r\n", "\n", "\r", "\r\n\r\n",
    "Host: a", "Content-Length: 5", "Content-Length: 99999999999999999999", "Transfer-Encoding: chunked",
    "5\r\nabcde\r\n",
    "ffffffffffffffff\r\n", "0\r\n\r\n", "Expect: 100-continue", ":", " ", "\u{0}", "Range: bytes=-", "\t",
    "é",
  ]

  @Test(arguments: 0..<8) func `random bytes do not stop the server`(seed: Int) async throws {
    try await withServer(
      { $0.limits.maximumHeadTime = .milliseconds(200) },
      handler: { request in
        .content(
          try await request.body.collectedBody(upTo: 1000), for: request, contentType: "text/plain",
          entityTag: EntityTag("a"), modified: HTTPDate(secondsSince1970: 0))
      }
    ) { server in
      var random = SeededNumbers(UInt64(seed))
      for _ in 0..<40 {
        var bytes: [UInt8] = Bool.random(using: &random) ? Array("POST / HTTP/1.1\r\nHost: a\r\n".utf8) : []
        for _ in 0..<Int.random(in: 1..<30, using: &random) {
          if Int.random(in: 0..<8, using: &random) == 0 {
            bytes += (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
          } else {
            bytes += Array((Self.pieces.randomElement(using: &random) ?? "").utf8)
          }
        }
        let sent = bytes
        let client = try RawClient(port: server.port)
        try await client.blocking { client in
          try? client.send(sent)
          shutdown(client.descriptor, Int32(SHUT_WR))
          _ = try? client.readToEnd()
        }
      }
      let port = server.port
      // On a busy machine, the head may arrive too late for such a short limit, so the request is repeated.
      let isServing = await eventually {
        let client = try? RawClient(port: port)
        let status = try? await client?.blocking { client in
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          return try client.readResponse().status
        }
        return status == 200
      }
      #expect(isServing)
    }
  }
}
