import Foundation
import TestSupport

extension ConformanceSuite {
  // MARK: Requests in clear text

  static let plainProxies: [ConformanceCase] =
    behind(over: [.http], "proxy-plain", "A plain request goes through a proxy in absolute-form.") {
      context in
      let proxy = try context.proxy()
      let (origin, _) = try context.serveNamed { _ in
        Reply(404, headers: [("Set-Cookie", "origin=yes; Path=/")], text: "the origin's")
      }
      let session = try context.session()
      let outcome = try await context.perform(ExchangeRequest(.data, origin + "/page?a=b"), on: session)
      try expectResponse(outcome, 404, text: "the origin's")
      try expect(
        proxy.questions == ["GET \(origin)/page?a=b"], "The proxy received \(proxy.questions).")
    }
    + behind(over: [.http], "proxy-plain-own-reply", "A proxy's own response to a plain request is returned.")
  {
    context in
    _ = try context.proxy(forward: { _ in Reply(502, text: "no such origin") })
    let outcome = try await context.perform(ExchangeRequest(.data, "http://origin.test:9/"))
    try expectResponse(outcome, 502, text: "no such origin")
  }
    + behind(over: [.http], "proxy-plain-post", "A POST through a proxy is sent once.") { context in
      let proxy = try context.proxy()
      let (origin, requests) = try context.serveNamed { _ in Reply(201) }
      let body = Data(repeating: 7, count: 200_000)
      try expectResponse(
        try await context.perform(ExchangeRequest(.upload, origin, method: "POST", body: .data(body))), 201)
      try expect(requests.all.count == 1, "The origin got \(requests.all.count) requests.")
      try expect(proxy.questions == ["POST \(origin)/"], "The proxy received \(proxy.questions).")
    }
    + behind(
      over: [.http], "proxy-plain-post-dying",
      "A POST is sent once to a proxy that ends its kept connections."
    ) { context in
      let isDying = Gate()
      let posts = Counter()
      let proxy = context.keep(
        try ScriptedServer { connection in
          while let request = try connection.nextRequest() {
            if request.method == "POST" { posts.increment() }
            if isDying.isOpen { return }
            try connection.send(Reply(text: "ok"))
          }
        })
      context.setProxies(["http_proxy": "http://127.0.0.1:\(proxy.port)"])
      let session = try context.session { $0.needsKeptConnections = true }
      let origin = "http://origin.test:8080/"
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin), on: session))
      isDying.open()
      let request = ExchangeRequest(.data, origin, method: "POST", body: .data(Data("important".utf8)))
      try expectFailure(try await context.perform(request, on: session), .networkConnectionLost)
      try expect(posts.value == 1, "The proxy got the POST \(posts.value) times.")
    }
    + behind(
      over: [.http, .https], "proxy-credentials",
      "The password in a proxy's URL is sent to the proxy and not to the origin."
    ) { context in
      let proxy = try ScriptedProxy()
      context.keep(proxy.server)
      let url = "http://ada:se%20cret@127.0.0.1:\(proxy.port)"
      context.setProxies(["http_proxy": url, "https_proxy": url])
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), text: "the origin's")
      let expected = "Basic " + Data("ada:se cret".utf8).base64EncodedString()
      let sent = proxy.server.requests.map { $0["Proxy-Authorization"] }
      try expect(sent == [expected], "The proxy received \(sent.map { $0 ?? "nothing" }).")
      let leaked = requests.all.compactMap { $0["Proxy-Authorization"] ?? $0["Authorization"] }
      try expect(leaked.isEmpty, "The origin received the proxy's password.")
    }

  // MARK: Which proxy is used

  /// Returns a case that performs a load with these variables and checks whether it goes through the proxy. `PROXY`
  /// stands for the proxy's URL.
  private static func choice(
    over transports: [Transport], _ id: String, _ title: String, _ variables: [String: String], isUsed: Bool
  ) -> [ConformanceCase] {
    behind(over: transports, id, title) { context in
      let proxy = try ScriptedProxy()
      context.keep(proxy.server)
      context.setProxies(variables.mapValues { $0.replacingOccurrences(of: "PROXY", with: proxy.url) })
      let (origin, _) = try context.serveNamed { _ in Reply(text: "the origin's") }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), text: "the origin's")
      try expect(
        proxy.questions.isEmpty != isUsed, "The proxy was asked \(proxy.questions.count) times.")
    }
  }

  static let proxyChoice: [ConformanceCase] =
    choice(
      over: [.http, .https], "proxy-all", "all_proxy applies to every scheme.", ["all_proxy": "PROXY"],
      isUsed: true)
    + choice(
      over: [.https], "proxy-upper-case", "HTTPS_PROXY in upper case is read.", ["HTTPS_PROXY": "PROXY"],
      isUsed: true)
    + choice(
      over: [.http], "proxy-httpoxy", "HTTP_PROXY in upper case is not read: a CGI request can set it.",
      ["HTTP_PROXY": "PROXY"], isUsed: false)
    + choice(
      over: [.https], "proxy-other-scheme", "http_proxy does not apply to https.", ["http_proxy": "PROXY"],
      isUsed: false)
    + choice(
      over: [.http, .https], "proxy-no-proxy", "A connection to a host in no_proxy is direct.",
      ["http_proxy": "PROXY", "https_proxy": "PROXY", "no_proxy": "example.com,origin.test"], isUsed: false)
    + choice(
      over: [.http], "proxy-no-proxy-domain", "A domain in no_proxy applies to its hosts.",
      ["http_proxy": "PROXY", "no_proxy": ".test"], isUsed: false)
    + choice(
      over: [.http], "proxy-no-proxy-part",
      "A name in no_proxy does not match a host whose name only ends with it.",
      ["http_proxy": "PROXY", "no_proxy": "gin.test"], isUsed: true)
    + choice(
      over: [.http], "proxy-no-proxy-all", "An asterisk in no_proxy matches every host.",
      ["http_proxy": "PROXY", "no_proxy": "*"], isUsed: false)
    + choice(
      over: [.http], "proxy-empty", "An empty variable sets no proxy.", ["http_proxy": ""], isUsed: false)
    + behind(over: [.http, .https], "proxy-absent", "A proxy without a listener is an error.") { context in
      let port = try ClosedPort()
      context.setProxies(["all_proxy": "http://127.0.0.1:\(port.number)"])
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin)), .cannotConnectToHost)
      try expect(requests.all.isEmpty, "The origin received a request without the proxy.")
    }
    + behind(over: [.http, .https], "proxy-unusable", "A proxy of an unknown kind is an error.") { context in
      context.setProxies(["all_proxy": "nonsense://127.0.0.1:9"])
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      let outcome = try await context.perform(ExchangeRequest(.data, origin))
      try expect(outcome.failure != nil, "There is no error: \(describe(outcome)).")
      try expect(requests.all.isEmpty, "The origin received a request without the proxy.")
    }

  // MARK: SOCKS

  private static func socks(
    over transports: [Transport] = [.http, .https], _ id: String, _ title: String, _ scheme: String,
    isName: Bool
  ) -> [ConformanceCase] {
    behind(over: transports, id, title) { context in
      let proxy = try SOCKSProxy()
      context.keep(proxy.server)
      context.setProxies(["all_proxy": "\(scheme)://127.0.0.1:\(proxy.server.port)"])
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), text: "the origin's")
      try expect(requests.all.count == 1, "The origin got \(requests.all.count) requests.")
      let question = proxy.questions.first
      try expect(
        question?.isName == isName && question?.host == (isName ? "origin.test" : "127.0.0.1"),
        "The proxy received \(question.map { "\($0)" } ?? "nothing").")
      let lookedUp = TestHostNames.questions().contains { $0.name == "origin.test" }
      try expect(lookedUp != isName, "The name was looked up \(lookedUp ? "here as well" : "nowhere").")
    }
  }

  private static func socksRefusal(
    _ id: String, _ title: String, _ behavior: SOCKSProxy.Behavior
  ) -> [ConformanceCase] {
    behind(over: [.http], id, title) { context in
      let proxy = try SOCKSProxy(behavior)
      context.keep(proxy.server)
      context.setProxies(["all_proxy": "socks5h://127.0.0.1:\(proxy.server.port)"])
      let (origin, requests) = try context.serveNamed { _ in Reply(text: "the origin's") }
      try expectRefusal(try await context.perform(ExchangeRequest(.data, origin)))
      try expect(requests.all.isEmpty, "The origin received a request.")
    }
  }

  static let socksProxies: [ConformanceCase] =
    socks(
      over: [.http, .https, .http2], "socks-remote-name", "A SOCKS5 proxy resolves names (socks5h).",
      "socks5h", isName: true)
    + socks(
      "socks-local-name", "The client resolves names for a SOCKS5 proxy (socks5).", "socks5",
      isName: false)
    + socksRefusal("socks-refused", "A SOCKS5 proxy that forbids the connection is an error.", .refuse(2))
    + socksRefusal("socks-unreachable", "A SOCKS5 proxy that cannot connect is an error.", .refuse(5))
    + socksRefusal("socks-no-method", "A SOCKS5 proxy that requires a password is an error.", .refuseMethods)
    + socksRefusal("socks-cut", "A SOCKS5 proxy that closes inside its response is an error.", .cut)
    + behind(
      over: [.http], "socks-refusal-code",
      "The error of a SOCKS5 refusal has a specific code, not unknown."
    ) { context in
      let proxy = try SOCKSProxy(.refuse(2))
      context.keep(proxy.server)
      context.setProxies(["all_proxy": "socks5h://127.0.0.1:\(proxy.server.port)"])
      let outcome = try await context.perform(ExchangeRequest(.data, "http://origin.test:8080/"))
      try expectRefusal(outcome)
      try expect(outcome.failure != .url(URLError.Code.unknown.rawValue), "The code is -1: unknown.")
    }
    + behind(over: [.http], "socks-silent", "A silent SOCKS5 proxy causes a time-out.") { context in
      let proxy = try SOCKSProxy(.silence)
      context.keep(proxy.server)
      context.setProxies(["all_proxy": "socks5h://127.0.0.1:\(proxy.server.port)"])
      var request = ExchangeRequest(.data, "http://origin.test:8080/")
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    }
}
