// Replies with unusual or invalid status lines or fields (RFC 9112, 2 to 5).

extension [RawReply] {
  private static let rest = "\r\nContent-Length: 5\r\n\r\nhello"

  static var statusLines: [RawReply] {
    let lines = [
      "HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK",
      "HTTP/1.1 200\tOK",
      "HTTP/1.1 200  OK ", " HTTP/1.1 200 OK", "\tHTTP/1.1 200 OK", "http/1.1 200 OK", "Http/1.1 200 OK",
      "HTTP/1.1 200 All is well, (really) 100% \"fine\"", "HTTP/1.1 299 Other", "HTTP/1.1 600 Six",
      "HTTP/1.1 999 Last",
      "HTTP/1.1 099 Below", "HTTP/1.1 000 None", "HTTP/1.1 20 OK", "HTTP/1.1 2 OK", "HTTP/1.1 2000 OK",
      "HTTP/1.1 20000000000 OK", "HTTP/1.1 -200 OK", "HTTP/1.1 +200 OK", "HTTP/1.1 2x0 OK",
      "HTTP/1.1 0x200 OK",
      "HTTP/1.1 200.0 OK", "HTTP/1.1 200OK", "HTTP/1.1 OK", "HTTP/1.1 OK 200", "HTTP/1.1", "HTTP/1.1 ",
      "HTTP/1", "HTTP/",
      "HTTP", "HTTP/1 200 OK", "HTTP/1. 200 OK", "HTTP/.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.2 200 OK",
      "HTTP/1.9 200 OK", "HTTP/1.10 200 OK", "HTTP/1.01 200 OK", "HTTP/01.1 200 OK", "HTTP/0.9 200 OK",
      "HTTP/2 200 OK", "HTTP/2 200", "HTTP/2.0 200 OK", "HTTP/3 200 OK", "HTTP/3.0 200 OK", "HTTP/4.0 200 OK",
      "HTTP/9.9 200 OK", "HTTP/11 200 OK", "HTTP/-1.1 200 OK", "HTTP/1.1/1.1 200 OK", "HTTP-1.1 200 OK",
      "HTTPS/1.1 200 OK", "HTTP 1.1 200 OK", "HTTP /1.1 200 OK", "HTTP/ 1.1 200 OK", "ICY 200 OK",
      "RTSP/1.0 200 OK",
      "220 ready", "SSH-2.0-OpenSSH", "<html>hello</html>", "{\"a\": 1}", "GET / HTTP/1.1", "OK", "",
      "\r\nHTTP/1.1 200 OK", "\nHTTP/1.1 200 OK", "\r\n\r\nHTTP/1.1 200 OK", "\u{feff}HTTP/1.1 200 OK",
      "HTTP/1.1 200 Żółć", "HTTP/1.1 200 OK\r", "HTTP/1.1,200,OK", "HTTP/1.1 200 OK HTTP/1.1 404 No",
    ]
    return lines.map { RawReply("status line", RawReply.visible($0), $0 + rest) }
  }

  static var fieldSyntax: [RawReply] {
    let fields = [
      "X-A: b", "X-A:b", "X-A:  b  ", "X-A:\tb\t", "X-A: b\t c", "X-A:", "X-A: ", "X-A : b", "X-A\t: b",
      " X-A: b", "\tX-A: b",
      "X-A", "X-A b", ": b", ":", "::", "X-A:: b", "X-A: b: c", "X A: b", "X-A: b\r\n c", "X-A: b\r\n\tc",
      "X-A: b\r\n  c\r\n  d",
      "X-A: b\r\n \r\n c", "X-A:\r\n b", "X-A: b\r\n : c", "X-A: b\r\n X-B: c", "X-A: b\r\nX-A: c",
      "X-A: b\r\nx-a: c",
      "X-A: b\r\nX-B: c\r\nX-A: d", "x-A: b", "X_A: b", "X.A: b", "X!#$%&'*+-.^_`|~: b", "X(A): b", "X\"A: b",
      "X/A: b", "X[A]: b",
      "X{A}: b", "X@A: b", "X,A: b", "X;A: b", "X=A: b", "X?A: b", "X\\A: b", "<A>: b", "Ä: b", "X-A: ä",
      "X-A: 犬", "X-A: \"b",
      "X-A: \"b\\\"c\"", "X-A: (comment", "X-A: b,c", "X-A: b, c", "X-A: ,b,,c,", "X-A: b;c=d", "200: b",
      "-: b", "X-A: b\r\nSet-Cookie: a=b",
      "Set-Cookie: a=b\r\nSet-Cookie: c=d", "Set-Cookie: a=b; Expires=Wed, 21 Oct 2065 07:28:00 GMT",
      "Set-Cookie:", "Date: yesterday",
      "Content-Type:", "Content-Type: text", "Content-Type: text/plain; charset=",
      "Content-Type: a/b\r\nContent-Type: c/d",
      "Location: /elsewhere", "Connection: close", "Connection: keep-alive",
      "Connection: upgrade\r\nUpgrade: h2c", "Connection: close, keep-alive",
      "Connection: nonsense", "Proxy-Connection: close", "Keep-Alive: timeout=0",
      "Keep-Alive: timeout=-1, max=-5", "Trailer: X-B",
      "Content-Range: bytes 0-4/5", "Content-Range: bytes 9-1/5", "Accept-Ranges: bytes", "Last-Modified: 0",
      "ETag: W/\"", "Age: -1",
      "Retry-After: never", "Alt-Svc: h3=\":443\"", "Strict-Transport-Security: max-age=1",
      "Content-Encoding:", "Content-Encoding: identity",
      "Refresh: 0; url=/elsewhere", "WWW-Authenticate: Basic", "HTTP/1.1 404 Not Found", "Content-Length : 5",
      "Content-MD5: x",
    ]
    return fields.map {
      RawReply("field", RawReply.visible($0), "HTTP/1.1 200 OK\r\n\($0)\r\nContent-Length: 5\r\n\r\nhello")
    }
  }

  static var controlCharacters: [RawReply] {
    let bytes: [UInt8] = [0, 1, 8, 11, 12, 13, 14, 27, 31, 127, 128, 160, 255]
    let places: [(String, String, String)] = [
      ("in a field's value", "HTTP/1.1 200 OK\r\nX-A: b", "c\r\nContent-Length: 5\r\n\r\nhello"),
      ("in a field's name", "HTTP/1.1 200 OK\r\nX-A", "B: c\r\nContent-Length: 5\r\n\r\nhello"),
      ("at a value's start", "HTTP/1.1 200 OK\r\nX-A:", "b\r\nContent-Length: 5\r\n\r\nhello"),
      ("at a value's end", "HTTP/1.1 200 OK\r\nX-A: b", "\r\nContent-Length: 5\r\n\r\nhello"),
      ("in the reason", "HTTP/1.1 200 O", "K\r\nContent-Length: 5\r\n\r\nhello"),
      ("after the status", "HTTP/1.1 200", "\r\nContent-Length: 5\r\n\r\nhello"),
      ("before the status line", "", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
      ("in the length", "HTTP/1.1 200 OK\r\nContent-Length: 5", "\r\n\r\nhello"),
      ("in the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", "lo"),
    ]
    return places.flatMap { place, before, after in
      bytes.map { byte in
        RawReply(
          "control character", "\(hexadecimal(byte)) \(place)",
          Array<UInt8>(before.utf8) + [byte] + Array<UInt8>(after.utf8))
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  static var lineEnds: [RawReply] {
    // Line ends after the status line, a field, the last field and the head.
    let ends = ["\r\n", "\n", "\r", "\n\r", "\r\r\n", "\r\n "]
    var replies: [RawReply] = []
    for end in ends {
      let name = RawReply.visible(end)
      replies += [
        RawReply(
          "line end", "\(name) everywhere",
          "HTTP/1.1 200 OK\(end)X-A: b\(end)Content-Length: 5\(end)\(end)hello"),
        RawReply(
          "line end", "\(name) after the status line",
          "HTTP/1.1 200 OK\(end)X-A: b\r\nContent-Length: 5\r\n\r\nhello"),
        RawReply(
          "line end", "\(name) after a field", "HTTP/1.1 200 OK\r\nX-A: b\(end)Content-Length: 5\r\n\r\nhello"
        ),
        RawReply(
          "line end", "\(name) after the last field",
          "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\(end)\r\nhello"),
        RawReply(
          "line end", "\(name) after the head",
          "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\(end)hello"),
      ]
    }
    return replies
  }
}
