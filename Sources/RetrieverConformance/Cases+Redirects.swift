import Foundation
import TestSupport

extension ConformanceSuite {
  static let redirects: [ConformanceCase] = methods + locations + secrets + refused + asked

  private static func method(_ status: Int, _ sent: String, becomes expected: String) -> ConformanceCase {
    let keeps = sent == expected
    let title = "After \(status), a \(sent) \(keeps ? "remains" : "becomes") a \(expected)"
    let bodyTitle = sent == "GET" || sent == "HEAD" ? "." : keeps ? " with its body." : " without its body."
    return ConformanceCase(.redirects, "redirect-\(status)-\(sent.lowercased())", title + bodyTitle) {
      context in
      let (origin, server) = try context.serveHTTP { request in
        request.path == "/from" ? .redirect(to: "/to", status: status) : Reply(text: "arrived")
      }
      let hasBody = sent == "POST" || sent == "PUT"
      let outcome = try await context.perform(
        ExchangeRequest(
          .data, origin + "/from", method: sent, body: hasBody ? .data(Data("dog".utf8)) : .none))
      try expectResponse(outcome, text: expected == "HEAD" ? "" : "arrived")
      try expect(server.requests.count == 2, "\(server.requests.count) requests were sent.")
      guard let last = server.requests.last else { return }
      try expect(last.method == expected, "The second request is a \(last.method).")
      let body = keeps && hasBody ? "dog" : ""
      try expect(last.text == body, "The second request has the body “\(last.text)”.")
      if !keeps {
        try expect(
          last["Content-Type"] == nil && last["Transfer-Encoding"] == nil
            && (last["Content-Length"] ?? "0") == "0",
          "The second request has fields of a body but no body.")
      }
    }
  }

  private static let methods: [ConformanceCase] =
    [
      method(301, "GET", becomes: "GET"), method(302, "GET", becomes: "GET"),
      method(303, "GET", becomes: "GET"), method(307, "GET", becomes: "GET"),
      method(308, "GET", becomes: "GET"), method(301, "POST", becomes: "GET"),
      method(302, "POST", becomes: "GET"), method(303, "POST", becomes: "GET"),
      method(303, "PUT", becomes: "GET"), method(307, "POST", becomes: "POST"),
      method(308, "POST", becomes: "POST"), method(307, "PUT", becomes: "PUT"),
      method(303, "HEAD", becomes: "HEAD"), method(302, "HEAD", becomes: "HEAD"),
      ConformanceCase(.redirects, "redirect-307-file", "After 307 a file is uploaded again.") { context in
        let (origin, server) = try context.serveHTTP { request in
          request.path == "/from" ? .redirect(to: "/to", status: 307) : Reply(201)
        }
        let file = try context.directory().write(Data("dog".utf8), to: "photo")
        let outcome = try await context.perform(
          ExchangeRequest(.upload, origin + "/from", method: "PUT", body: .file(file)))
        try expectResponse(outcome, 201)
        try expect(
          server.requests.map(\.text) == ["dog", "dog"], "The bodies are \(server.requests.map(\.text)).")
      },
      ConformanceCase(.redirects, "redirect-download", "A download follows a redirect.") { context in
        let (origin, _) = try context.serveHTTP { request in
          request.path == "/from" ? .redirect(to: "/to") : Reply(text: "arrived")
        }
        let outcome = try await context.perform(ExchangeRequest(.download, origin + "/from"))
        try expectResponse(outcome, text: "arrived")
        if let file = outcome.file { try? FileManager.default.removeItem(atPath: file) }
      },
      ConformanceCase(.redirects, "redirect-bytes", "Bytes follow a redirect.") { context in
        let (origin, _) = try context.serveHTTP { request in
          request.path == "/from" ? .redirect(to: "/to") : Reply(text: "arrived")
        }
        try expectResponse(
          try await context.perform(ExchangeRequest(.bytes, origin + "/from")), text: "arrived")
      },
    ]
    + each(over: [.https], .redirects, "redirect-over-tls", "A redirect is followed over TLS.") { context in
      let (origin, _) = try context.serveHTTP { request in
        request.path == "/from" ? .redirect(to: "to") : Reply(text: "arrived")
      }
      let outcome = try await context.perform(ExchangeRequest(.data, origin + "/from"))
      try expectResponse(outcome, text: "arrived")
      try expect(
        outcome.finalURL == origin + "/to", "The response's URL is \(outcome.finalURL ?? "missing").")
    }

  private static func location(_ id: String, _ value: String, _ expected: String, _ title: String)
    -> ConformanceCase
  {
    ConformanceCase(.redirects, "location-\(id)", title) { context in
      let (origin, server) = try context.serveHTTP { request in
        guard request.target == "/a/b/c?old=1" else { return Reply(text: "arrived") }
        return .redirect(to: value.replacingOccurrences(of: "HOST", with: request["Host"] ?? ""))
      }
      let outcome = try await context.perform(ExchangeRequest(.data, origin + "/a/b/c?old=1"))
      try expectResponse(outcome, text: "arrived")
      let target = server.requests.last?.target
      try expect(
        target == expected, "The second request has the target \(target ?? "nothing"), expected \(expected).")
    }
  }

  private static let locations: [ConformanceCase] = [
    location("relative", "d", "/a/b/d", "A relative Location is resolved from the request's path."),
    location("parent", "../d?x=y", "/a/d?x=y", "Dots in a Location are resolved."),
    location("absolute-path", "/d", "/d", "A Location with an absolute path stays on the host."),
    location("query", "?new=2", "/a/b/c?new=2", "A Location with only a query keeps the path."),
    location("no-scheme", "//HOST/d", "/d", "A Location without a scheme uses the request's."),
    location("fragment", "/d#part", "/d", "A Location's fragment is not sent."),
    location("absolute", "http://HOST/d?e=f", "/d?e=f", "An absolute Location is used unchanged."),
    ConformanceCase(.redirects, "location-missing", "A redirect without a Location is the response.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(302, text: "nowhere") }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), 302, text: "nowhere")
    },
    ConformanceCase(.redirects, "location-broken", "An invalid Location is an error or the response.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in .redirect(to: "http://[::1") }
      let outcome = try await context.perform(ExchangeRequest(.data, origin))
      try expectFailure(
        outcome, .badURL, .badServerResponse, .redirectToNonExistentLocation, .unsupportedURL,
        .cannotParseResponse, .cannotFindHost, or: "status 302"
      ) { $0.status == 302 }
    },
  ]

  private static let secretFields = [
    ("Authorization", "Bearer secret"), ("Cookie", "session=secret"),
    ("Proxy-Authorization", "Basic secret"), ("Accept-Language", "sv"),
  ]

  private static let secrets: [ConformanceCase] = [
    ConformanceCase(
      .redirects, "redirect-drops-secrets", "Authorization and Cookie are not sent to another origin."
    ) { context in
      let (other, elsewhere) = try context.serveHTTP { _ in Reply(text: "other") }
      let (origin, server) = try context.serveHTTP { _ in .redirect(to: other + "/there") }
      var request = ExchangeRequest(.data, origin)
      request.headers = secretFields
      try expectResponse(try await context.perform(request), text: "other")
      try expect(
        server.requests.first?["Authorization"] == "Bearer secret", "It was not sent to the first origin.")
      guard let arrived = elsewhere.requests.first else { throw CaseFailure(reason: "Nothing arrived.") }
      for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
        try expect(arrived[name] == nil, "\(name) was sent to another origin.")
      }
      try expect(arrived["Accept-Language"] == "sv", "A harmless field was dropped too.")
    },
    ConformanceCase(
      .redirects, "redirect-drops-secrets-async", "A delegate that accepts a redirect does not change this."
    ) { context in
      let (other, elsewhere) = try context.serveHTTP { _ in Reply(text: "other") }
      let (origin, _) = try context.serveHTTP { _ in .redirect(to: other + "/there") }
      var policy = DelegatePolicy()
      policy.redirect = { _ in true }
      var request = ExchangeRequest(.data, origin, delegate: policy)
      request.headers = secretFields
      try expectResponse(try await context.perform(request), text: "other")
      try expect(
        elsewhere.requests.first?["Authorization"] == nil, "Authorization was sent to another origin.")
    },
    ConformanceCase(.redirects, "redirect-keeps-secrets", "Within one origin, Authorization is kept.") {
      context in
      let (origin, server) = try context.serveHTTP { request in
        request.path == "/from" ? .redirect(to: "/to") : Reply(text: "arrived")
      }
      var request = ExchangeRequest(.data, origin + "/from")
      request.headers = [("Authorization", "Bearer secret")]
      try expectResponse(try await context.perform(request), text: "arrived")
      try expect(server.requests.last?["Authorization"] == "Bearer secret", "Authorization was dropped.")
    },
    ConformanceCase(
      .redirects, "redirect-drops-secrets-downgrade", "Secrets are not sent from https to http.", over: .https
    ) { context in
      let plain = context.keep(try ScriptedServer.http { _ in Reply(text: "other") })
      let (origin, _) = try context.serveHTTP { _ in .redirect(to: "http://localhost:\(plain.port)/there") }
      var request = ExchangeRequest(.data, origin)
      request.headers = secretFields
      _ = try await context.perform(request)
      let arrived = plain.requests.first
      try expect(
        arrived?["Authorization"] == nil && arrived?["Cookie"] == nil, "A secret was sent in clear text.")
    },
  ]

  private static func refusing(_ id: String, _ location: String, _ title: String) -> ConformanceCase {
    ConformanceCase(.redirects, id, title) { context in
      let (origin, _) = try context.serveHTTP { _ in .redirect(to: location) }
      for kind in [ExchangeRequest.Kind.data, .download] {
        let outcome = try await context.perform(ExchangeRequest(kind, origin))
        try expect(!outcome.text.contains("root:"), "The client read a local file for a server.")
        try expectFailure(
          outcome, .unsupportedURL, .badURL, .redirectToNonExistentLocation, .noPermissionsToReadFile,
          .badServerResponse)
      }
    }
  }

  private static let refused: [ConformanceCase] = [
    refusing("redirect-to-file", "file:///etc/passwd", "A redirect to file: is refused."),
    refusing("redirect-to-ftp", "ftp://127.0.0.1/etc/passwd", "A redirect to ftp: is refused."),
    refusing("redirect-to-data", "data:text/plain,root:", "A redirect to data: is refused."),
    ConformanceCase(.redirects, "redirect-endless", "An endless redirect is -1007 after about 20 hops.") {
      context in
      let count = Counter()
      let (origin, server) = try context.serveHTTP { _ in .redirect(to: "/\(count.increment())") }
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin + "/0")), .httpTooManyRedirects)
      let requests = server.requests.count
      try expect((17...22).contains(requests), "It was followed \(requests) times.")
    },
    ConformanceCase(.redirects, "redirect-loop", "A redirect to itself is -1007.") { context in
      let (origin, _) = try context.serveHTTP { _ in .redirect(to: "/") }
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin + "/")), .httpTooManyRedirects)
    },
    ConformanceCase(.redirects, "redirect-fifteen", "Fifteen redirects are followed.") { context in
      let count = Counter()
      let (origin, _) = try context.serveHTTP { _ in
        let number = count.increment()
        return number <= 15 ? .redirect(to: "/\(number)") : Reply(text: "arrived")
      }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin + "/0")), text: "arrived")
    },
  ]

  private static func asking(_ form: DelegatePolicy.Form, follows: Bool) -> ConformanceCase {
    let id = "redirect-\(follows ? "agreed" : "declined")-\(form.rawValue)"
    let title =
      follows
      ? "A redirect that the delegate accepts is followed"
      : "A redirect that the delegate declines is the response"
    return ConformanceCase(.redirects, id, "\(title) (\(form.rawValue) form).") { context in
      let (origin, _) = try context.serveHTTP { request in
        request.path == "/from"
          ? Reply(302, headers: [("Location", "/to")], text: "moved") : Reply(text: "arrived")
      }
      var policy = DelegatePolicy(form: form)
      policy.redirect = { _ in follows }
      let outcome = try await context.perform(ExchangeRequest(.data, origin + "/from", delegate: policy))
      try expect(outcome.redirects == [origin + "/to"], "The delegate was asked about \(outcome.redirects).")
      try expectResponse(outcome, follows ? 200 : 302, text: follows ? "arrived" : "moved")
      let expected = origin + (follows ? "/to" : "/from")
      try expect(outcome.finalURL == expected, "The response's URL is \(outcome.finalURL ?? "missing").")
    }
  }

  private static let asked: [ConformanceCase] = [
    asking(.completion, follows: true), asking(.completion, follows: false),
    asking(.async, follows: true), asking(.async, follows: false),
  ]
}
