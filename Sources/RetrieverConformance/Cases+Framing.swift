import Foundation
import TestSupport

extension ConformanceSuite {
  static let framing: [ConformanceCase] = lengths + chunks

  private static let lengths: [ConformanceCase] =
    reply(
      .framing, "two-lengths", "Two different lengths are an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "length-twice", "The same length given twice is accepted or an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"), .hold]
    ) { outcome in
      try expectFailure(outcome, .cannotParseResponse, .badServerResponse, or: "“hello”") {
        $0.text == "hello"
      }
    }
    + reply(
      .framing, "length-no-number", "A length that is not a number is an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\nhello"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "length-negative", "A negative length is an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "length-too-large", "A length that exceeds the largest integer is an error.",
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nhello"), .close]
    ) { outcome in
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .networkConnectionLost, .dataLengthExceedsMaximum)
    }
    + reply(
      .framing, "until-close", "Without a length and chunks, the body ends with the connection.",
      [.send("HTTP/1.1 200 OK\r\n\r\nhello"), .close]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .framing, "byte-by-byte", "A response that arrives one byte at a time is read correctly.",
      [
        .sendSlowly("HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        .hold,
      ]
    ) { outcome in
      try expectResponse(outcome, text: "hello")
      try expect(outcome.headers["x-a"] == "b", "A field is lost.")
    }
    + each(
      .framing, "bytes-after-body", "Bytes after a body are not taken as the next response."
    ) { context in
      let (origin, _) = try context.serve { connection in
        while try connection.nextRequest() != nil {
          if connection.index == 0 {
            try connection.send(Reply(text: "first").bytes + Reply(text: "smuggled").bytes)
          } else {
            try connection.send(Reply(text: "second"))
          }
        }
      }
      let session = try context.session()
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "first")
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "second")
    }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  private static let chunks: [ConformanceCase] =
    reply(
      .framing, "chunked", "A chunked body is assembled correctly.",
      [.send(Reply(text: "hello, world", framing: .chunked(3))), .hold]
    ) { try expectResponse($0, text: "hello, world") }
    + reply(
      .framing, "chunk-extensions", "Chunk extensions are ignored.",
      [.send(chunked + "5;name=value;other=\"quo ted\"\r\nhello\r\n0;last\r\n\r\n"), .hold]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .framing, "trailers", "Trailers after the last chunk end the body and are not part of it.",
      [.send(chunked + "5\r\nhello\r\n0\r\nX-Checksum: abc\r\nX-Other: d\r\n\r\n"), .hold]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .framing, "chunked-and-length", "With chunks, a length is ignored or the response is rejected.",
      [
        .send(
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        .hold,
      ]
    ) { outcome in
      try expectFailure(outcome, .cannotParseResponse, .badServerResponse, or: "“hello”") {
        $0.text == "hello"
      }
    }
    + reply(
      .framing, "chunk-size-no-number", "A chunk size that is not a number is an error.",
      [.send(chunked + "zz\r\nhello\r\n0\r\n\r\n"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "chunk-size-negative", "A negative chunk size is an error.",
      [.send(chunked + "-5\r\nhello\r\n0\r\n\r\n"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "chunk-size-too-large", "A chunk size that exceeds the largest integer is an error.",
      [.send(chunked + "fffffffffffffffff\r\nhello\r\n0\r\n\r\n"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "chunk-without-end", "A chunk longer than its size is an error.",
      [.send(chunked + "5\r\nhello, there\r\n0\r\n\r\n"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .framing, "chunks-cut", "A chunked body without its last chunk is an error.",
      [.send(chunked + "5\r\nhello\r\n"), .close]
    ) { try expectFailure($0, .networkConnectionLost, .cannotParseResponse) }
}
