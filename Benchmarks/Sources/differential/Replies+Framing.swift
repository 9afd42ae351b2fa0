// Replies with unusual or invalid framing of the body (RFC 9112, 6 and 7).

extension [RawReply] {
  private static let lengthValues = [
    "5", "05", "0000000000000000000000005", "+5", "-5", "-0", "0", "3", "9", "5.0", "5,", "5, 5", "5,5",
    "5, 6", "5 5", "5;", "0x5",
    "5a", "a5", "\"5\"", "", " ", "five", "1e1", "9223372036854775807", "9223372036854775808",
    "18446744073709551621",
    "99999999999999999999999999", "4294967301", "-9223372036854775808", "٥",
  ]

  static var lengths: [RawReply] {
    lengthValues.flatMap { value in
      [
        RawReply(
          "length", "Content-Length: \(value)", "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello"),
        RawReply(
          "length twice", "5 and then \(value.isEmpty ? "nothing" : value)",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: \(value)\r\n\r\nhello"),
        value == "5"
          ? nil
          : RawReply(
            "length twice", "\(value.isEmpty ? "nothing" : value) and then 5",
            "HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\nContent-Length: 5\r\n\r\nhello"),
      ].compactMap { $0 }
    }
  }

  static var framings: [RawReply] {
    let codings = [
      "chunked", "Chunked", "CHUNKED", " chunked ", "chunked,", ",chunked", "chunked, chunked", "identity",
      "identity, chunked",
      "chunked, identity", "gzip", "gzip, chunked", "chunked, gzip", "deflate", "x-gzip, chunked",
      "br, chunked", "unknown",
      "unknown, chunked", "chunked;a=b", "\"chunked\"", "chunkedx", "xchunked", "chunked\u{0b}", "",
      "chunked\r\nTransfer-Encoding: chunked",
      "identity\r\nTransfer-Encoding: chunked", "chunked\r\nTransfer-Encoding: identity",
      "gzip\r\nTransfer-Encoding: chunked",
    ]
    let body = "5\r\nhello\r\n0\r\n\r\n"
    return codings.flatMap { coding in
      let name = RawReply.visible(coding)
      let field = "Transfer-Encoding: \(coding)\r\n"
      return [
        RawReply("transfer coding", name, "HTTP/1.1 200 OK\r\n\(field)\r\n\(body)"),
        RawReply("transfer coding", "\(name), HTTP/1.0", "HTTP/1.0 200 OK\r\n\(field)\r\n\(body)"),
        RawReply(
          "coding and length", "\(name), then 15",
          "HTTP/1.1 200 OK\r\n\(field)Content-Length: 15\r\n\r\n\(body)"),
        RawReply(
          "coding and length", "4, then \(name)",
          "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\(field)\r\n\(body)"),
      ]
    } + [
      RawReply(
        "transfer coding", "obs-fold before chunked",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n\(body)"),
      RawReply(
        "transfer coding", "space before the colon",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n\(body)"),
      RawReply(
        "transfer coding", "underscore in the name",
        "HTTP/1.1 200 OK\r\nTransfer_Encoding: chunked\r\n\r\n\(body)"),
    ]
  }

  static var chunks: [RawReply] {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let sizes = [
      "5", "05", "000000000000000000005", "0x5", "5h", "h5", "5 ", "5\t", " 5", "\t5", "+5", "-5", "-1", "5;",
      "5;a", "5;a=b", "5 ; a = b",
      "5;a=\"b\"", "5;a=\"b;c\"", "5;a=\"b\\\"c\"", "5;a=\"b", "5; ", "5;;", "5;=", "5,", "5.", "5 5", "5\r",
      "5\0", "", "G", "five",
      "FFFFFFFF", "7FFFFFFFFFFFFFFF", "8000000000000000", "FFFFFFFFFFFFFFFF", "10000000000000005",
      "00000000000000000000000000000000005",
      "6", "4", "5;\u{01}", "5;ä", "５", "5;a=b\u{0b}",
    ]
    let sized = sizes.map {
      RawReply("chunk size", RawReply.visible($0), "\(head)\($0)\r\nhello\r\n0\r\n\r\n")
    }
    let bodies = [
      "5\nhello\n0\n\n", "5\r\nhello\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\rhello\r0\r\r",
      "5\r\nhello0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n",
      "5\r\nhello\r\n\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n", "5\r\nhello\r\n0\n\n", "5\r\nhello\r\n0",
      "5\r\nhello\r\n", "5\r\nhello", "5\r\nhel", "5\r\n",
      "5\r", "", "0\r\n\r\n", "0\r\n", "0", "00000\r\n\r\n", "0;a=b\r\n\r\n", "0 \r\n\r\n", "-0\r\n\r\n",
      "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n",
      "1\r\nh\r\n1\r\ne\r\n3\r\nllo\r\n0\r\n\r\n", "A\r\nhelloworld\r\n0\r\n\r\n",
      "a\r\nhelloworld\r\n0\r\n\r\n", "\r\n5\r\nhello\r\n0\r\n\r\n",
      "5\r\nhello\r\n0\r\n\r\nmore", "hello", "5\r\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n0\r\n\r\n",
    ]
    return sized + bodies.map { RawReply("chunks", RawReply.visible($0), head + $0) }
      + bodies.filter { $0.contains("0\r\n\r\n") && !$0.hasSuffix("more") }.map {
        RawReply("chunks, connection open", RawReply.visible($0), head + $0, .hold)
      }
  }

  static var trailers: [RawReply] {
    let trailers = [
      "X-T: a", "X-T: a\r\nX-U: b", "X-T:a", "X-T", ": a", "X-T: a\r\n b", " X-T: a", "Content-Length: 3",
      "Transfer-Encoding: chunked",
      "Set-Cookie: a=b", "Content-Encoding: gzip", "HTTP/1.1 200 OK", "X-T: a\n", "Connection: close",
      "X-A: changed", "X-T: \u{01}",
    ]
    let head =
      "HTTP/1.1 200 OK\r\nX-A: b\r\nTrailer: X-T\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
    return trailers.map { RawReply("trailer", RawReply.visible($0), "\(head)\($0)\r\n\r\n") }
      + [
        RawReply("trailer", "no empty line after it", "\(head)X-T: a\r\n"),
        RawReply("trailer", "cut in its name", "\(head)X-"),
        RawReply("trailer", "no line end", "\(head)X-T: a"),
        RawReply(
          "trailer", "of 20,000 bytes", "\(head)X-T: \(String(repeating: "a", count: 20_000))\r\n\r\n"),
        RawReply(
          "trailer", "of 200,000 bytes", "\(head)X-T: \(String(repeating: "a", count: 200_000))\r\n\r\n"),
        RawReply(
          "trailer", "1,000 of them", head + (0..<1000).map { "X-T-\($0): a\r\n" }.joined() + "\r\n"),
      ]
  }

  static var excess: [RawReply] {
    let extra = [
      "x", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad", "HTTP/1.1 404 Not Found\r\n\r\n", "\0",
      " ",
    ]
    return extra.flatMap { more in
      let name = RawReply.visible(more)
      return [
        RawReply(
          "excess", "\(name) after a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\(more)"),
        RawReply(
          "excess", "\(name) after a length, open",
          "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello\(more)", .hold),
        RawReply(
          "excess", "\(name) after chunks, open",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n\(more)", .hold),
        RawReply("excess", "\(name) after length 0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\(more)"),
        RawReply("excess", "\(name) after 204", "HTTP/1.1 204 No Content\r\n\r\n\(more)"),
      ]
    }
  }
}
