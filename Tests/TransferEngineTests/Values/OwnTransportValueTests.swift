import Testing

@testable import TransferEngine

@Suite struct OwnTransportValueTests {
  private func size(_ line: String) -> Int64? { Array(line.utf8).withUnsafeBytes(ResponseReader.chunkSize) }

  private func isStatusLine(_ line: String) -> Bool {
    Array(line.utf8).withUnsafeBytes(ResponseReader.isStatusLine)
  }

  private func target(_ url: String) -> String? {
    guard let target = RequestTarget(url) else { return nil }
    var bytes: [UInt8] = []
    target.append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `the size of a chunk is hexadecimal, and extensions are ignored`() {
    #expect(size("0\r\n") == 0 && size("1aF\r\n") == 431)
    #expect(size("5;name=value\r\n") == 5 && size("5 \r\n") == 5)
    #expect(size("7fffffffffffffff\r\n") == nil && size("fffffffffffffff\r\n") == 1_152_921_504_606_846_975)
    for line in ["\r\n", ";a\r\n", "-1\r\n", "+1\r\n", "0x5\r\n", "5g\r\n", " 5\r\n"] {
      #expect(size(line) == nil)
    }
  }

  @Test func `a response begins with a status line of HTTP 1`() {
    #expect(isStatusLine("HTTP/1.1 200 OK\r\n") && isStatusLine("HTTP/1.0 404\r\n"))
    for line in [
      "HTTP/2 200 OK", "HTTP/1.2 200 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 20", "HTTP/1.1  200 OK",
      "http/1.1 200 OK", "",
    ] {
      #expect(!isStatusLine(line + "\r\n"))
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\n X-A: b\r\n", "HTTP/1.1 200 OK\r\nX-A\r\n", "HTTP/1.1 200 OK\r\nX-A: b\u{0}\r\n",
    "HTTP/1.1 200 O\u{0}\r\n", "HTTP/1.1 200 OK\r\nX\r-A: b\r\n", "HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\n",
    "SSH-2.0",
  ])
  func `a damaged head is refused, however it is cut`(_ text: String) {
    let bytes = Array(text.utf8)
    for size in [1, bytes.count] {
      var reader = ResponseReader()
      var isRefused = false
      for start in stride(from: 0, to: bytes.count, by: size) where !isRefused {
        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in
          var rest = piece
          reading: while true {
            switch reader.next(from: &rest) {
            case .failure: isRefused = true; break reading
            case .needsMore: break reading
            default: break
            }
          }
        }
      }
      #expect(isRefused, "in pieces of \(size)")
    }
  }

  @Test func `the connection stays open unless the response says otherwise`() {
    func closes(_ version: String, _ lines: [String]) -> Bool {
      var reader = ResponseReader()
      let head = (["HTTP/1.1 200 OK"] + lines).map { $0 + "\r\n" }.joined()
      Array(head.utf8).withUnsafeBytes { bytes in
        var rest = bytes
        for _ in 0...lines.count { _ = reader.next(from: &rest) }
      }
      reader.endHead(version: version, hasNoBody: false, isChunked: false, length: 0)
      return reader.closes
    }
    #expect(!closes("HTTP/1.1", []) && closes("HTTP/1.1", ["Connection: close"]))
    #expect(closes("HTTP/1.1", ["cONNECTION:Upgrade , CLOSE"]) && !closes("HTTP/1.1", ["Connection: closed"]))
    #expect(closes("HTTP/1.0", []) && !closes("HTTP/1.0", ["Connection: keep-alive"]))
    #expect(
      closes("HTTP/1.0", ["Connection: keep-alive, close"]) && !closes("HTTP/1.1", ["Connections: close"]))
  }

  @Test func `the end of a head decides how the body is read`() {
    func part(
      hasNoBody: Bool = false, isChunked: Bool = false, length: Int64? = nil
    ) -> ResponseReader.Part {
      var reader = ResponseReader()
      reader.endHead(version: "HTTP/1.1", hasNoBody: hasNoBody, isChunked: isChunked, length: length)
      return reader.part
    }
    #expect(part(length: 5) == .body(remaining: 5) && part() == .untilClose)
    #expect(part(isChunked: true) == .chunkSize)
    // A server that sends both is understood as the standard demands (RFC 9112, 6.3).
    #expect(part(isChunked: true, length: 5) == .chunkSize)
    #expect(part(hasNoBody: true, isChunked: true, length: 5) == .end)
    #expect(part(length: 0) == .end)
  }

  @Test func `the path and the query are sent as they are, and a fragment is not`() {
    #expect(target("http://example.com/a%20b?c=/../d#e") == "/a%20b?c=/../d")
    #expect(target("http://example.com/.well-known/a") == "/.well-known/a")
    #expect(target("http://example.com/2e") == "/2e")
    #expect(target("http://example.com") == "/" && target("http://example.com?a") == "/?a")
  }

  @Test func `libcurl gets URLs that it changes`() {
    for path in ["/a/../b", "/./a", "/a/..", "/%2e%2e/a", "/.%2E", "/a b", "/ä", "/a\u{1}"] {
      #expect(target("http://example.com" + path) == nil)
    }
  }

  @Test func `hosts in an unusual form are left to libcurl`() {
    func isPlain(_ host: String) -> Bool { ServerAddress(isSecure: true, host: host, port: 443).isPlain }
    for host in ["example.com", "127.0.0.1", "localhost", "a.b-c.example", "example.com.", "::1"] {
      #expect(isPlain(host))
    }
    for host in ["127.1", "0x7f.0.0.1", "2130706433", "1.2.3.4.", "", "example.0x7f"] {
      #expect(!isPlain(host))
    }
  }

  @Test func `addresses of both families alternate, beginning with the preferred one`() {
    func texts(_ list: [String]) -> [Family] {
      SocketAddress.alternating(list.compactMap { SocketAddress($0, port: 80) }).map {
        $0 == SocketAddress("::1", port: 80) || $0 == SocketAddress("::2", port: 80) ? .v6 : .v4
      }
    }
    #expect(texts(["::1", "::2", "127.0.0.1", "127.0.0.2", "127.0.0.3"]) == [.v6, .v4, .v6, .v4, .v4])
    #expect(texts(["127.0.0.1", "::1"]) == [.v4, .v6] && texts([]) == [])
    #expect(SocketAddress("[::1]", port: 1) == SocketAddress("::1", port: 1))
    #expect(SocketAddress("example.com", port: 1) == nil && SocketAddress("127.1", port: 1) == nil)
  }

  private enum Family { case v4, v6 }

  @Test func `fields come in libcurl's order, and a line break in one is refused`() throws {
    let server = ServerAddress(isSecure: true, host: "example.com", port: 8443)
    var request = TransferRequest(url: "https://example.com:8443/")
    request.headers = [TransferHeader("X-A", "1"), TransferHeader("accept", "text/plain")]
    request.acceptedEncodings = ""
    let names = try request.fields(for: server, userAgent: "test").map(\.name)
    #expect(names == ["Host", "User-Agent", "X-A", "accept"])
    #expect(try request.fields(for: server, userAgent: "")[0].value == "example.com:8443")
    request.headers = [TransferHeader("X-A", "1\r\nX-B: 2")]
    #expect(throws: TransferFailure.self) { try request.fields(for: server, userAgent: "") }
  }
}
