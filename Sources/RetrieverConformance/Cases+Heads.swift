import Foundation
import TestSupport

extension ConformanceSuite {
  static let heads: [ConformanceCase] =
    plainHeads + interimHeads + excessiveHeads

  private static let plainHeads: [ConformanceCase] =
    reply(
      .heads, "not-http", "A response that is not HTTP is an error.",
      [.send("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .heads, "bad-status", "A status that is not a number is an error.",
      [.send("HTTP/1.1 2x0 OK\r\nContent-Length: 2\r\n\r\nok"), .close]
    ) { try expectProtocolError($0) }
    + reply(
      .heads, "any-case-fields", "Field names are not case-sensitive.",
      [.send("HTTP/1.1 200 OK\r\ncOnTeNt-TyPe: text/plain\r\nCONTENT-LENGTH: 5\r\n\r\nhello"), .hold]
    ) { outcome in
      try expectResponse(outcome, text: "hello")
      try expect(outcome.headers["content-type"] == "text/plain", "Content-Type is lost.")
    }
    + reply(
      .heads, "folded-field", "A field folded over two lines is one value, or the response is rejected.",
      [.send("HTTP/1.1 200 OK\r\nX-Folded: one\r\n two\r\nContent-Length: 5\r\n\r\nhello"), .hold]
    ) { outcome in
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, or: "the value “one two”"
      ) { outcome in
        let words = outcome.headers["x-folded"]?.split(whereSeparator: \.isWhitespace)
        return outcome.text == "hello" && words == ["one", "two"]
      }
    }
    + reply(
      .heads, "no-reason", "A status line without a reason phrase is accepted.",
      [.send("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello"), .hold]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .heads, "empty-reason", "A status line with an empty reason phrase is accepted.",
      [.send("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello"), .hold]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .heads, "bare-line-feeds", "Lines of the head may end with LF alone.", over: [.http],
      [.send("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"), .hold]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .heads, "old-version", "A response in HTTP/1.0 ends with its connection.", over: [.http],
      [.send("HTTP/1.0 200 OK\r\n\r\nhello"), .close]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .heads, "latin-1-field", "A field that is not UTF-8 is kept, possibly with other characters.",
      over: [.http],
      [
        .send(
          Data("HTTP/1.1 200 OK\r\nX-Name: Jos".utf8) + [0xe9] + Data("\r\nContent-Length: 2\r\n\r\nok".utf8)),
        .hold,
      ]
    ) { outcome in
      try expectResponse(outcome, text: "ok")
      try expect(outcome.headers["x-name"]?.hasPrefix("Jos") == true, "The field X-Name is lost.")
    }
    + reply(
      .heads, "nul-in-field", "A NUL in a field is an error or part of its value, and does not crash.",
      over: [.http],
      [.send("HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 2\r\n\r\nok"), .hold]
    ) { outcome in
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .networkConnectionLost, or: "a response"
      ) { $0.text == "ok" }
    }
    + reply(
      .heads, "no-content-with-length", "A 204 has no body, regardless of Content-Length.",
      [.send("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"), .hold]
    ) { try expectResponse($0, 204, text: "") }
    + reply(
      .heads, "not-modified-with-length", "A 304 has no body, regardless of Content-Length.",
      [.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\n"), .hold]
    ) { try expectResponse($0, 304, text: "") }
    + each(.heads, "head-with-length", "The response to HEAD has no body, regardless of Content-Length.") {
      context in
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .hold,
      ])
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin, method: "HEAD")), text: "")
    }

  private static let interimHeads: [ConformanceCase] =
    reply(
      .heads, "several-interim", "Interim responses before the response are ignored.",
      [
        .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"),
        .send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"), .send(Reply(text: "hello")), .hold,
      ]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .heads, "switching-unasked", "An unrequested 101 is an error or the response, and does not hang.",
      [
        .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: nonsense\r\nConnection: Upgrade\r\n\r\n"),
        .send("something else"), .close,
      ]
    ) { outcome in
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .networkConnectionLost, or: "status 101"
      ) { $0.status == 101 }
    }

  private static let excessiveHeads: [ConformanceCase] =
    each(.heads, "endless-interim", "Endless interim responses cause an error or a time-out.") {
      context in
      let (origin, _) = try context.serve([
        .readRequest, .sendForever(String(repeating: "HTTP/1.1 102 Processing\r\nX-A: b\r\n\r\n", count: 50)),
      ])
      try await expectBounded(context, origin)
    }
    + each(
      .heads, "endless-head", "An endless head causes an error or a time-out, using little memory."
    ) { context in
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\n"),
        .sendForever(String(repeating: "X-Field: \(String(repeating: "v", count: 200))\r\n", count: 50)),
      ])
      try await expectBounded(context, origin)
    }
    + each(
      .heads, "endless-field", "An endless field causes an error or a time-out, using little memory."
    ) { context in
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nX-Field: "),
        .sendForever(String(repeating: "v", count: 16_384)),
      ])
      try await expectBounded(context, origin)
    }
    + each(.heads, "big-field", "A field of 1 MiB is complete, or the response is rejected.") { context in
      let value = String(repeating: "v", count: 1 << 20)
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nX-Big: \(value)\r\nContent-Length: 2\r\n\r\nok"), .hold,
      ])
      let outcome = try await context.perform(ExchangeRequest(.data, origin))
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .dataLengthExceedsMaximum, or: "the field"
      ) { $0.text == "ok" && $0.headers["x-big"]?.utf8.count == 1 << 20 }
    }
    + each(.heads, "many-fields", "10,000 fields are complete, or the response is rejected.") { context in
      let fields = (0..<10_000).map { "X-Field-\($0): value \($0)\r\n" }.joined()
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok"), .hold,
      ])
      let outcome = try await context.perform(ExchangeRequest(.data, origin))
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .dataLengthExceedsMaximum, or: "all fields"
      ) { outcome in
        outcome.text == "ok" && outcome.headers["x-field-0"] == "value 0"
          && outcome.headers["x-field-9999"] == "value 9999"
      }
    }

  /// Expects that an endless response ends with an error or at the resource time-out, without filling the memory.
  private static func expectBounded(_ context: CaseContext, _ origin: String) async throws {
    let session = try context.session { $0.resourceTimeout = .seconds(2) }
    let before = ResourceSnapshot.residentBytes()
    let outcome = try await context.perform(ExchangeRequest(.data, origin), on: session)
    let growth = ResourceSnapshot.residentBytes() - before
    try expectFailure(
      outcome, .cannotParseResponse, .badServerResponse, .dataLengthExceedsMaximum, .timedOut,
      .networkConnectionLost, within: .seconds(5))
    try expect(growth < 128 << 20, "Resident memory grew by \(growth >> 20) MiB.")
  }
}
