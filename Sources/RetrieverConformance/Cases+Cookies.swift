import Foundation
import TestSupport

extension ConformanceSuite {
  /// Requests the paths in order. Responses to paths that begin with `/set` set the cookies. Returns the Cookie
  /// fields that the server received.
  private static func cookies(
    _ context: CaseContext, set: [String], paths: [String], handled: Bool = true
  ) async throws -> [String?] {
    let (origin, server) = try context.serveHTTP { request in
      let fields = request.path.hasPrefix("/set") ? set.map { ("Set-Cookie", $0) } : []
      return Reply(headers: fields, text: "ok")
    }
    let session = try context.session()
    for path in paths {
      var request = ExchangeRequest(.data, origin + path)
      request.handlesCookies = handled
      try expectResponse(try await context.perform(request, on: session))
    }
    return server.requests.map { $0["Cookie"] }
  }

  private static func afterwards(
    _ id: String, _ title: String, _ set: String..., expecting sent: String?
  ) -> ConformanceCase {
    ConformanceCase(.cookies, id, title) { context in
      let fields = try await cookies(context, set: set, paths: ["/set", "/get"])
      try expect(
        fields.last == sent, "Sent: \((fields.last ?? nil) ?? "no cookie"), expected: \(sent ?? "none").")
    }
  }

  static let cookies: [ConformanceCase] = [
    afterwards("cookie-kept", "A cookie is sent back.", "a=b", expecting: "a=b"),
    afterwards(
      "cookie-several", "Several cookies are sent in one field.", "a=b", "c=d; Path=/", expecting: "a=b; c=d"),
    afterwards("cookie-replaced", "A cookie set again is replaced.", "a=b", "a=c", expecting: "a=c"),
    afterwards("cookie-empty", "A cookie may have an empty value.", "a=", expecting: "a="),
    afterwards("cookie-equals", "A cookie's value may contain an equals sign.", "a=b=c", expecting: "a=b=c"),
    afterwards(
      "cookie-http-only", "An HttpOnly cookie is sent to the server.", "a=b; HttpOnly", expecting: "a=b"),
    afterwards("cookie-expired", "Max-Age=0 removes a cookie.", "a=b", "a=b; Max-Age=0", expecting: nil),
    afterwards(
      "cookie-expires-past", "A cookie that has expired is not sent.",
      "a=b; Expires=Wed, 21 Oct 2015 07:28:00 GMT", expecting: nil),
    afterwards(
      "cookie-max-age-first", "Max-Age takes precedence over Expires.",
      "a=b; Max-Age=600; Expires=Wed, 21 Oct 2015 07:28:00 GMT", expecting: "a=b"),
    afterwards(
      "cookie-expires-comma", "The comma in a date does not end a cookie.",
      "a=b; Expires=Fri, 31 Dec 2100 23:59:59 GMT", "c=d", expecting: "a=b; c=d"),
    afterwards(
      "cookie-secure-http", "A Secure cookie is not sent in clear text.", "a=b; Secure", expecting: nil),
    afterwards(
      "cookie-other-path", "A cookie for another path is not sent.", "a=b; Path=/other", expecting: nil),
    afterwards(
      "cookie-foreign-domain", "A cookie for a foreign domain is refused.", "a=b; Domain=example.com",
      expecting: nil),
    afterwards(
      "cookie-broken", "Broken Set-Cookie fields are ignored.", "", ";;;", "=", "a", "x\u{1}y=z", "good=1",
      expecting: "good=1"),
    ConformanceCase(.cookies, "cookie-path", "A cookie's path matches complete parts of a path.") { context in
      let fields = try await cookies(
        context, set: ["a=b; Path=/set/in"],
        paths: ["/set", "/set/in", "/set/in/deep", "/set/inside", "/get"])
      try expect(fields == [nil, "a=b", "a=b", nil, nil], "Sent: \(fields.map { $0 ?? "none" }).")
    },
    ConformanceCase(.cookies, "cookie-default-path", "The default path is the directory of the request.") {
      context in
      let fields = try await cookies(context, set: ["a=b"], paths: ["/set/one", "/set/two", "/get"])
      try expect(fields == [nil, "a=b", nil], "Sent: \(fields.map { $0 ?? "none" }).")
    },
    ConformanceCase(.cookies, "cookie-longest-path-first", "Cookies of longer paths are sent first.") {
      context in
      let fields = try await cookies(
        context, set: ["a=short; Path=/", "a=long; Path=/set"], paths: ["/set", "/set/x"])
      try expect(fields.last == "a=long; a=short", "Sent: \(fields.map { $0 ?? "none" }).")
    },
    ConformanceCase(
      .cookies, "cookie-unhandled", "A request with cookies disabled neither stores nor sends them."
    ) {
      context in
      let fields = try await cookies(context, set: ["a=b"], paths: ["/set", "/get"], handled: false)
      try expect(fields == [nil, nil], "Sent: \(fields.map { $0 ?? "none" }).")
    },
    ConformanceCase(.cookies, "cookie-other-host", "A cookie is not sent to another host.") { context in
      let (origin, server) = try context.serveHTTP { request in
        Reply(headers: request.path == "/set" ? [("Set-Cookie", "a=b")] : [], text: "ok")
      }
      let session = try context.session()
      let other = origin.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      for address in [origin + "/set", other + "/get", origin + "/get"] {
        try expectResponse(try await context.perform(ExchangeRequest(.data, address), on: session))
      }
      let fields = server.requests.map { $0["Cookie"] }
      try expect(fields == [nil, nil, "a=b"], "Sent: \(fields.map { $0 ?? "none" }).")
    },
    ConformanceCase(.cookies, "cookie-on-redirect", "A cookie set by a redirect is sent to its target.") {
      context in
      let (origin, server) = try context.serveHTTP { request in
        guard request.path == "/from" else { return Reply(text: "ok") }
        return Reply(302, headers: [("Location", "/to"), ("Set-Cookie", "a=b; Path=/")])
      }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin + "/from")))
      try expect(
        server.requests.last?["Cookie"] == "a=b", "Sent: \(server.requests.last?["Cookie"] ?? "none").")
    },
    ConformanceCase(.cookies, "cookie-sessions-apart", "Ephemeral sessions share no cookies.") { context in
      let (origin, server) = try context.serveHTTP { _ in Reply(headers: [("Set-Cookie", "a=b")], text: "ok")
      }
      for _ in 0..<2 {
        try expectResponse(try await context.perform(ExchangeRequest(.data, origin)))
      }
      try expect(server.requests.last?["Cookie"] == nil, "A new session sent the cookie of another.")
    },
    ConformanceCase(
      .cookies, "cookie-secure", "A Secure cookie is sent over TLS and not in clear text.", over: .https
    ) { context in
      let (origin, server) = try context.serveHTTP { _ in
        Reply(headers: [("Set-Cookie", "a=b; Secure; Path=/")], text: "ok")
      }
      let plain = context.keep(try ScriptedServer.http { _ in Reply(text: "ok") })
      let session = try context.session()
      for address in [origin, origin, "http://localhost:\(plain.port)/"] {
        try expectResponse(try await context.perform(ExchangeRequest(.data, address), on: session))
      }
      try expect(server.requests.map { $0["Cookie"] } == [nil, "a=b"], "It was not sent over TLS.")
      try expect(plain.requests.first?["Cookie"] == nil, "It was sent in clear text.")
    },
  ]
}
