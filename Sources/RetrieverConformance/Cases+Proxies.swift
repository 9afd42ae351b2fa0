import Foundation
import TestSupport

extension ConformanceSuite {
  static let proxies: [ConformanceCase] = tunnels + refusedTunnels + plainProxies + proxyChoice + socksProxies

  /// Returns a case behind a proxy. It runs in its own process, because it sets the proxy in the environment.
  static func behind(
    over transports: [Transport] = [.https], _ id: String, _ title: String,
    body: @escaping @Sendable (CaseContext) async throws -> Void
  ) -> [ConformanceCase] {
    each(over: transports, .proxies, id, title, in: .ownProcessWithTestHostNames, body: body)
  }

  // MARK: Tunnels

  /// Returns a case with a tunnel that the proxy opens with this response. The origin's response must arrive
  /// unchanged.
  private static func tunnel(_ id: String, _ title: String, _ head: String) -> [ConformanceCase] {
    behind(over: [.https, .http2], id, title) { context in
      let proxy = try context.proxy { _ in .tunnel(head) }
      let (origin, requests) = try context.serveNamed { _ in
        Reply(404, headers: [("X-Origin", "yes")], text: "the origin's")
      }
      let session = try context.session()
      for _ in 0..<2 {
        let outcome = try await context.perform(ExchangeRequest(.data, origin + "/page"), on: session)
        try expectResponse(outcome, 404, text: "the origin's")
        try expect(outcome.headers["x-origin"] == "yes", "The origin's fields are missing.")
        try expect(
          !outcome.headers.keys.contains { $0.hasPrefix("x-proxy") || $0 == "set-cookie" },
          "The response has fields of the proxy: \(outcome.headers.keys.sorted()).")
        try expect(
          outcome.finalURL == origin + "/page", "The response's URL is \(outcome.finalURL ?? "nil").")
      }
      try expect(requests.all.count == 2, "The origin got \(requests.all.count) requests.")
      try expect(
        requests.all.allSatisfy { $0["Cookie"] == nil }, "A cookie that the proxy set was sent to the origin."
      )
      try expect(
        proxy.questions.allSatisfy { $0.hasPrefix("CONNECT origin.test:") } && !proxy.questions.isEmpty,
        "The proxy received \(proxy.questions).")
    }
  }

  private static let tunnels: [ConformanceCase] =
    tunnel(
      "proxy-tunnel", "A tunnel through a proxy returns the origin's response.",
      "HTTP/1.1 200 Connection established\r\n\r\n")
    + tunnel(
      "proxy-tunnel-fields", "The fields and cookies of a proxy that opens a tunnel are ignored.",
      "HTTP/1.1 200 OK\r\nX-Proxy: yes\r\nSet-Cookie: proxy=yes; Path=/\r\nContent-Type: text/x-proxy\r\n\r\n"
    )
    + behind(
      over: [.https, .http2], "proxy-tunnel-interim",
      "Interim responses before a tunnel are ignored or an error, but never the response."
    ) { context in
      let interim =
        "HTTP/1.1 100 Continue\r\nX-Proxy: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Proxy: 2\r\n\r\n"
      _ = try context.proxy { _ in .tunnel(interim + "HTTP/1.1 200 OK\r\n\r\n") }
      let (origin, _) = try context.serveNamed { _ in Reply(404, text: "the origin's") }
      let outcome = try await context.perform(ExchangeRequest(.data, origin))
      try expectFailure(
        outcome, .networkConnectionLost, .cannotConnectToHost, .badServerResponse, .unknown,
        or: "the origin's response"
      ) { $0.status == 404 && $0.text == "the origin's" && $0.headers["x-proxy"] == nil }
    }
    + tunnel(
      "proxy-tunnel-length", "A length in the proxy's response is ignored.",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
    + tunnel(
      "proxy-tunnel-204", "Any 2xx status opens a tunnel.", "HTTP/1.1 204 No Content\r\nX-Proxy: yes\r\n\r\n")
    + behind(over: [.https, .http2], "proxy-tunnel-upload", "A body sent through a tunnel arrives once.") {
      context in
      _ = try context.proxy()
      let (origin, requests) = try context.serveNamed { _ in Reply(201) }
      let body = Data(repeating: 7, count: 200_000)
      try expectResponse(
        try await context.perform(ExchangeRequest(.upload, origin, method: "POST", body: .data(body))), 201)
      try expect(requests.all.count == 1, "The origin got \(requests.all.count) requests.")
    }

  // MARK: Refusals

  /// Returns a case in which no tunnel is opened. The result must be an error, soon, and the proxy's response must
  /// not be taken as the origin's.
  private static func refused(
    _ id: String, _ title: String, _ answer: ScriptedProxy.Answer
  ) -> [ConformanceCase] {
    behind(id, title) { context in
      _ = try context.proxy { _ in answer }
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      let session = try context.session()
      let outcome = try await context.perform(ExchangeRequest(.data, origin), on: session)
      try expectRefusal(outcome)
      try expect(requests.all.isEmpty, "The origin received a request.")
    }
  }

  /// Expects an error for a proxy that fails. Apple documents no codes for it, so any code is accepted.
  static func expectRefusal(_ outcome: ExchangeOutcome) throws {
    try expectFailure(
      outcome, .cannotConnectToHost, .networkConnectionLost, .badServerResponse, .cannotParseResponse,
      .cannotFindHost, .secureConnectionFailed, .userAuthenticationRequired, .resourceUnavailable,
      .noPermissionsToReadFile, .unsupportedURL, .unknown)
    try expect(outcome.status == nil, "The error comes with a response: status \(outcome.status ?? 0).")
    try expect(outcome.redirects.isEmpty, "A redirect was followed.")
  }

  private static func reply(_ status: String, _ fields: String = "", body: String = "the proxy's") -> String {
    "HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private static let refusedTunnels: [ConformanceCase] =
    refused("proxy-401", "A tunnel refused with 401 is an error.", .refuse(reply("401 Unauthorized", basic)))
    + refused("proxy-403", "A tunnel refused with 403 is an error.", .refuse(reply("403 Forbidden")))
    + refused("proxy-404", "A tunnel refused with 404 is an error.", .refuse(reply("404 Not Found")))
    + refused("proxy-500", "A tunnel refused with 500 is an error.", .cut(reply("500 Oops")))
    + refused(
      "proxy-407", "A tunnel refused with 407 is an error without credentials.",
      .refuse(reply("407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"p\"\r\n")))
    + refused(
      "proxy-407-close", "A 407 that closes the connection is an error without credentials.",
      .cut(
        reply(
          "407 Proxy Authentication Required",
          "Proxy-Authenticate: Basic realm=\"p\"\r\nConnection: close\r\n")))
    + refused(
      "proxy-refused-long", "A refusal with an endless body is an error.",
      .forever("HTTP/1.1 403 Forbidden\r\nContent-Length: 99999999999\r\n\r\n"))
    + refused("proxy-closed", "A proxy that closes instead of answering is an error.", .cut(""))
    + refused("proxy-reset", "A proxy that resets instead of answering is an error.", .reset(""))
    + refused(
      "proxy-cut", "A proxy that closes inside its response is an error.", .cut("HTTP/1.1 200 OK\r\nX-Pr"))
    + refused("proxy-no-http", "A proxy that does not speak HTTP is an error.", .cut("SSH-2.0-none\r\n\r\n"))
    + refused(
      "proxy-cut-tunnel", "A tunnel that is closed immediately is an error.", .cut("HTTP/1.1 200 OK\r\n\r\n"))
    + refused(
      "proxy-body-in-tunnel", "Bytes sent by the proxy inside the tunnel are an error.",
      .cut("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
    + behind("proxy-302", "A redirect instead of a tunnel is an error and is not followed.") { context in
      let decoy = context.keep(try ScriptedServer.http { _ in Reply(text: "not the origin's") })
      let location = "Location: \(decoy.address("/login"))\r\nSet-Cookie: proxy=yes; Path=/\r\n"
      _ = try context.proxy { _ in .refuse(reply("302 Found", location)) }
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: DelegatePolicy()))
      try expectRefusal(outcome)
      try expect(decoy.connectionCount == 0, "The client followed the proxy's redirect.")
      try expect(requests.all.isEmpty, "The origin received a request.")
    }
    + behind("proxy-401-challenge", "A proxy's 401 never asks for the origin's password.") { context in
      let proxy = try context.proxy { _ in .refuse(reply("401 Unauthorized", basic)) }
      let (origin, _) = try context.serveNamed { _ in Reply(text: "the origin's") }
      var policy = DelegatePolicy()
      policy.challenge = { challenge in
        challenge.method.hasSuffix("ServerTrust")
          ? .defaultHandling : .credential(user: "ada", password: "secret")
      }
      let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: policy))
      try expectRefusal(outcome)
      let asked = outcome.challenges.filter { !$0.method.hasSuffix("ServerTrust") }
      try expect(asked.isEmpty, "The delegate was asked: \(asked).")
      let sent = proxy.server.requests.compactMap { $0["Authorization"] ?? $0["Proxy-Authorization"] }
      try expect(sent.isEmpty, "The proxy received a password.")
    }
    + behind("proxy-refusal-code", "The error of a refused tunnel has a specific code, not unknown.") {
      context in
      _ = try context.proxy { _ in .refuse(reply("403 Forbidden")) }
      let outcome = try await context.perform(ExchangeRequest(.data, "https://origin.test:9/"))
      try expectRefusal(outcome)
      try expect(outcome.failure != .url(URLError.Code.unknown.rawValue), "The code is -1: unknown.")
    }
    + behind("proxy-silent", "A proxy that does not answer causes a time-out.") { context in
      _ = try context.proxy { _ in .silence }
      let (origin, _) = try context.serveNamed { _ in Reply(text: "the origin's") }
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    }
    + behind("proxy-endless-head", "An endless head instead of a tunnel is an error, using little memory.") {
      context in
      let fields = String(repeating: "X-Filler: \(String(repeating: "x", count: 1000))\r\n", count: 16)
      let isFirst = Counter()
      _ = try context.proxy { _ in
        isFirst.increment() == 1 ? .forever("HTTP/1.1 200 OK\r\n" + fields) : .cut("")
      }
      let (origin, _) = try context.serveNamed { _ in Reply(text: "the origin's") }
      let before = ResourceSnapshot.residentBytes()
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(3)
      let outcome = try await context.perform(request)
      try expect(outcome.failure != nil, "There is no error: \(describe(outcome)).")
      let growth = ResourceSnapshot.residentBytes() - before
      try expect(growth < 96 << 20, "Resident memory grew by \(growth >> 20) MiB.")
    }

  private static let basic = "WWW-Authenticate: Basic realm=\"p\"\r\n"
}
