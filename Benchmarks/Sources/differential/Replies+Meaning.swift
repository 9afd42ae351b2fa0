import Foundation
import TestSupport

// Replies with valid parts in unusual combinations (RFC 9110).

extension [RawReply] {
  static var interims: [RawReply] {
    let final = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    let interims = [
      "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nX-A: interim\r\n\r\n", "HTTP/1.1 199 Other\r\n\r\n",
      "HTTP/1.0 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
      "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
      "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 100 Continue\r\nConnection: close\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\n\r\n",
      "HTTP/1.1 100 Continue\n\n", "HTTP/1.1 100 Continue\r\n", "HTTP/1.1 10 Ten\r\n\r\n",
      "HTTP/1.1 1000 Thousand\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLocation: /elsewhere\r\n\r\n",
    ]
    return interims.flatMap { interim in
      let name = RawReply.visible(interim)
      return [
        RawReply("interim", name, interim + final),
        RawReply("interim", "twice \(name)", interim + interim + final),
        RawReply("interim alone", name, interim),
      ]
    }
      + [10, 100, 1000].map {
        RawReply(
          "interim", "\($0) times 100", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: $0) + final)
      }
  }

  static var codings: [RawReply] {
    let gzip = [UInt8](CompressedFixture.gzip)
    let names = [
      "gzip", "x-gzip", "GZIP", " gzip ", "gzip;q=1", "deflate", "br", "zstd", "compress", "identity",
      "unknown", "", "gzip,",
    ]
    let pairs = [
      "gzip, gzip", "identity, gzip", "gzip, identity", "gzip, br", "gzip\r\nContent-Encoding: gzip",
    ]
    func reply(_ name: String, _ coding: String, _ body: [UInt8], method: String = "GET") -> RawReply {
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
      return RawReply(
        "content coding", name, method: method, Array<UInt8>(head.utf8) + (method == "HEAD" ? [] : body))
    }
    return (names + pairs).map { reply("\(RawReply.visible($0)) of gzip", $0, gzip) }
      + names.map { reply("\(RawReply.visible($0)) of text", $0, Array<UInt8>("hello".utf8)) }
      + names.map { reply("\(RawReply.visible($0)) of nothing", $0, []) }
      + names.map { reply("\(RawReply.visible($0)) to HEAD", $0, gzip, method: "HEAD") }
      + [
        reply(
          "gzip twice, named twice", "gzip, gzip", [UInt8](CompressedFixture.gzip(CompressedFixture.gzip))),
        reply("brotli", "br", [UInt8](CompressedFixture.brotli)),
        reply("zstandard", "zstd", [UInt8](CompressedFixture.zstandard)),
        reply("gzip with a bad block", "gzip", [UInt8](CompressedFixture.corruptGzip)),
        reply("gzip without its end", "gzip", gzip.dropLast(8)),
        reply("gzip cut in the middle", "gzip", Array<UInt8>(gzip.prefix(gzip.count / 2))),
        reply("gzip cut in its head", "gzip", Array<UInt8>(gzip.prefix(5))),
        reply("gzip with a wrong checksum", "gzip", gzip.dropLast(8) + [0, 0, 0, 0] + gzip.suffix(4)),
        reply("gzip with a wrong length", "gzip", gzip.dropLast(4) + [0, 0, 0, 0]),
        reply("gzip and then zeros", "gzip", gzip + [0, 0, 0, 0]),
        reply("gzip and then text", "gzip", gzip + Array<UInt8>("more".utf8)),
        reply("gzip and then gzip", "gzip", gzip + gzip),
        reply("brotli cut", "br", [UInt8](CompressedFixture.brotli.dropLast(8))),
        reply("zstandard cut", "zstd", [UInt8](CompressedFixture.zstandard.dropLast(8))),
      ]
  }

  static var withoutBody: [RawReply] {
    let framings = [
      ("no framing", "", ""), ("a length", "Content-Length: 5\r\n", "hello"),
      ("a length and no body", "Content-Length: 5\r\n", ""),
      ("length 0", "Content-Length: 0\r\n", ""),
      ("chunks", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
      ("chunked and no body", "Transfer-Encoding: chunked\r\n", ""), ("a body without framing", "", "hello"),
      ("both", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", ""),
      ("a bad length", "Content-Length: x\r\n", ""),
      ("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n", ""),
      ("a coding", "Content-Encoding: gzip\r\nContent-Length: 9\r\n", ""),
    ]
    return [
      "200 OK", "204 No Content", "205 Reset Content", "304 Not Modified", "404 Not Found", "302 Found",
    ].flatMap { status in
      ["GET", "HEAD"].flatMap { method in
        framings.flatMap { name, fields, body in
          let text = "HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)"
          let title = "\(method), \(status.prefix(3)) with \(name)"
          let knowsEnd = method == "HEAD" || status.hasPrefix("204") || status.hasPrefix("304")
          return [RawReply("no body", title, method: method, text)]
            + (knowsEnd ? [RawReply("no body, connection open", title, method: method, text, .hold)] : [])
        }
      }
    }
  }

  static var versions: [RawReply] {
    let connections = [
      "", "Connection: close\r\n", "Connection: keep-alive\r\n", "Connection: Keep-Alive, close\r\n",
      "Keep-Alive: timeout=5\r\n",
    ]
    let framings = [
      ("a length", "Content-Length: 5\r\n", "hello"),
      ("chunks", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"), ("no framing", "", "hello"),
    ]
    return ["1.0", "1.1"].flatMap { version in
      connections.flatMap { connection in
        framings.map { name, field, body in
          RawReply(
            "version and connection", "\(version), \(RawReply.visible(connection)), \(name)",
            "HTTP/\(version) 200 OK\r\n\(connection)\(field)\r\n\(body)")
        }
      }
    }
  }

  static var cuts: [RawReply] {
    let completeReplies = [
      ("a length", "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello"),
      ("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: a\r\n\r\n"),
      (
        "an interim",
        "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
      ),
    ]
    return completeReplies.flatMap { name, text in
      (0..<text.utf8.count).map { count in
        RawReply("cut", "\(name), after \(count) bytes", Array<UInt8>(text.utf8.prefix(count)))
      }
    }
  }

  static var large: [RawReply] {
    let end = "Content-Length: 5\r\n\r\nhello"
    func filled(_ count: Int) -> String { String(repeating: "a", count: count) }
    let lengths = [1000, 8000, 16_000, 33_000, 70_000, 99_000, 110_000, 250_000, 400_000]
    return lengths.map {
      RawReply("large", "a value of \($0) bytes", "HTTP/1.1 200 OK\r\nX-A: \(filled($0))\r\n\(end)")
    }
      + lengths.map {
        RawReply("large", "a name of \($0) bytes", "HTTP/1.1 200 OK\r\n\(filled($0)): b\r\n\(end)")
      }
      + lengths.map { RawReply("large", "a reason of \($0) bytes", "HTTP/1.1 200 \(filled($0))\r\n\(end)") }
      // How much a client reads of longer replies depends on timing.
      + lengths.filter { $0 < 100_000 }.map { RawReply("large", "\($0) bytes that are not HTTP", filled($0)) }
      + [10, 100, 1000, 3000, 6000, 20_000].map { count in
        RawReply(
          "large", "\(count) fields",
          "HTTP/1.1 200 OK\r\n" + (0..<count).map { "X-\($0): b\r\n" }.joined() + end)
      }
      + [10, 100, 1000].map { count in
        RawReply(
          "large", "\(count) folds",
          "HTTP/1.1 200 OK\r\nX-A: b\r\n" + String(repeating: " c\r\n", count: count) + end)
      }
      + [100, 40_000, 300_000].map { count in
        RawReply(
          "large", "a chunk extension of \(count) bytes",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=\(filled(count))\r\nhello\r\n0\r\n\r\n")
      }
  }
}
