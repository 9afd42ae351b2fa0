import Foundation
import TestSupport

extension ConformanceSuite {
  static let lines: [ConformanceCase] = [
    splitting("lines-lf", "Lines end at LF.", Data("one\ntwo\nthree\n".utf8), ["one", "two", "three"]),
    splitting("lines-cr", "Lines end at CR.", Data("one\rtwo\rthree\r".utf8), ["one", "two", "three"]),
    splitting("lines-crlf", "CR LF ends one line.", Data("one\r\ntwo\r\n".utf8), ["one", "two"]),
    splitting(
      "lines-unicode", "Lines end at VT, FF, NEL, LS and PS.",
      Data("one\u{0b}two\u{0c}three\u{85}four\u{2028}five\u{2029}six".utf8),
      ["one", "two", "three", "four", "five", "six"]),
    splitting(
      "lines-near-misses", "Characters that begin like NEL, LS and PS do not end a line.",
      Data("a\u{84}b\u{2027}c\u{202a}d\u{c5}e\n".utf8), ["a\u{84}b\u{2027}c\u{202a}d\u{c5}e"]),
    splitting(
      "lines-empty", "Empty lines are skipped.", Data("\n\none\n\r\n\n\r\rtwo\n\n".utf8), ["one", "two"]),
    splitting("lines-last", "An unterminated last line is returned.", Data("one\ntwo".utf8), ["one", "two"]),
    splitting("lines-none", "An empty body has no lines.", Data(), []),
    splitting(
      "lines-repaired", "Invalid UTF-8 is repaired.",
      Data("a".utf8) + [0xff] + Data("b\n".utf8) + [0xe2, 0x80] + Data("\nc\n".utf8),
      ["a\u{fffd}b", "\u{fffd}", "c"]),
    splitting(
      "lines-byte-by-byte", "A terminator that arrives in parts ends exactly one line.",
      Data("one\r\ntwo\u{2028}three\u{85}four\r\n\r\nfive\u{2029}".utf8),
      ["one", "two", "three", "four", "five"], slowly: true),
    ConformanceCase(.lines, "lines-long", "A line of 4 MiB is one line.") { context in
      let long = String(repeating: "y", count: 4 << 20)
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "one\n\(long)\ntwo\n") }
      let outcome = try await context.perform(ExchangeRequest(.lines, origin), limit: .seconds(15))
      try expectResponse(outcome)
      try expect(outcome.lines == ["one", long, "two"], "\(outcome.lines.count) lines arrived.")
    },
    ConformanceCase(.lines, "lines-many", "10,000 lines arrive in order.") { context in
      let address = try context.servers.nginx().url("/lines").absoluteString
      let outcome = try await context.perform(ExchangeRequest(.lines, address))
      let expected = (0..<10_000).map { String(NginxServer.line($0).dropLast()) }
      try expect(outcome.lines == expected, "\(outcome.lines.count) lines arrived, not the expected ones.")
    },
    ConformanceCase(
      .lines, "lines-as-they-come", "A line is returned when its terminator arrives, not one byte later."
    ) { context in
      let gates = ["one": Gate(), "two": Gate(), "three": Gate(), "four": Gate()]
      let (origin, _) = try context.serve { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        for (line, end) in [("one", "\n"), ("two", "\r"), ("three", "\u{2028}"), ("four", "\r\n")] {
          try connection.send(line + end)
          if let gate = gates[line] { try connection.wait(for: gate) }
        }
        try connection.send("five")
      }
      var request = ExchangeRequest(.lines, origin)
      request.onElement = { gates[$0]?.open() }
      let outcome = try await context.perform(request)
      try expectResponse(outcome)
      try expect(outcome.lines == ["one", "two", "three", "four", "five"], "The lines are \(outcome.lines).")
    },
    ConformanceCase(.lines, "lines-break", "Leaving the loop over lines ends the transfer.") { context in
      let closed = Gate()
      let (origin, _) = try context.serve(endless(opening: closed))
      var request = ExchangeRequest(.lines, origin)
      request.elementLimit = 3
      let outcome = try await context.perform(request)
      try expect(outcome.lines.count == 3, "\(outcome.lines.count) lines were iterated.")
      try expect(
        await closed.wait(within: .seconds(4)), "The server still sends into a connection that is not read.")
    },
    ConformanceCase(.lines, "lines-error", "An error in the body is thrown after the lines before it.") {
      context in
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none\ntwo\nthr"), .close,
      ])
      let outcome = try await context.perform(ExchangeRequest(.lines, origin))
      try expectFailure(outcome, .networkConnectionLost)
      try expect(outcome.lines == ["one", "two"], "The lines before the error are \(outcome.lines).")
    },
  ]

  private static func splitting(
    _ id: String, _ title: String, _ body: Data, _ expected: [String], slowly: Bool = false
  ) -> ConformanceCase {
    ConformanceCase(.lines, id, title) { context in
      let reply = Reply(headers: [("Content-Type", "text/plain; charset=utf-8")], body: body)
      let (origin, _) = try context.serve([
        .readRequest, .send(reply.head), slowly ? .sendSlowly(body) : .send(body), .hold,
      ])
      let outcome = try await context.perform(ExchangeRequest(.lines, origin))
      try expectResponse(outcome)
      try expect(outcome.lines == expected, "The lines are \(outcome.lines), expected \(expected).")
    }
  }
}
