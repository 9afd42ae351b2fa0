import Foundation
import HTTPService
import KennelTestSupport
import Retriever
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebSessionTests {
  @Test func aSessionIsACookieThatScriptsCannotRead() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      _ = try await web.store.addUser("Ada", role: .owner)
      let answer = try await web.post("/session", json: #"{"name":"ada","password":"correct horse"}"#)
      #expect(answer.status == 201)
      #expect(try answer.json["user"]?["name"]?.string == "Ada")
      #expect(try answer.json["user"]?["role"]?.string == "owner")
      let cookie = try #require(answer.field("Set-Cookie"))
      #expect(cookie.hasPrefix("kennel="))
      for attribute in ["Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=2592000"] {
        #expect(cookie.contains("; \(attribute)"))
      }
      // Over plain HTTP, a browser would reject a Secure cookie.
      #expect(!cookie.contains("Secure"))
      #expect(answer.field("Cache-Control") == "no-store")
      let fields = ["Cookie": "a=b; " + cookie.prefix { $0 != ";" }]
      #expect(try await web.get("/session", fields).json["user"]?["name"]?.string == "Ada")
      #expect(try await web.get("/session").json["user"] == .null)
      let end = try await web.ask("DELETE", "/session", fields)
      #expect(end.status == 204)
      #expect(end.field("Set-Cookie")?.contains("Max-Age=0") == true)
      #expect(try await web.get("/session", fields).json["user"] == .null)
      #expect(try await web.ask("DELETE", "/session").status == 204)
    }
  }

  @Test func aFormSignsInAsWell() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada B")
      let type = "application/x-www-form-urlencoded"
      let body = Data("name=Ada+B&password=correct%20horse".utf8)
      #expect(try await web.ask("POST", "/session", ["Content-Type": type], body: body).status == 201)
      // A form sent by a browser without scripts redirects to the page.
      var request = try web.request(
        "POST", "/session", ["Content-Type": type, "Accept": "text/html,*/*;q=0.8"])
      request.httpBody = body
      let (_, response) = try await web.session.data(for: request)
      #expect(response.url?.path == "/")
    }
  }

  @Test func `with a TLS proxy, the cookie is for TLS only`() async throws {
    try await withSite {
      $0.trustedProxies = ["127.0.0.1"]
    } _: { web in
      _ = try await web.store.addUser("Ada")
      let json = #"{"name":"Ada","password":"correct horse"}"#
      let answer = try await web.post("/session", json: json, ["X-Forwarded-Proto": "https"])
      let cookie = try #require(answer.field("Set-Cookie"))
      #expect(cookie.hasPrefix("__Host-kennel="))
      #expect(cookie.hasSuffix("; Secure"))
      let fields = ["Cookie": String(cookie.prefix { $0 != ";" }), "X-Forwarded-Proto": "https"]
      #expect(try await web.get("/session", fields).json["user"]?["name"]?.string == "Ada")
    }
  }

  @Test func `a wrong password is refused and too many are delayed`() async throws {
    let clock = ManualKennelClock()
    try await withSite(clock: clock.clock) { web in
      _ = try await web.store.addUser("Ada")
      let wrong = #"{"name":"Ada","password":"wrong"}"#
      let first = try await web.post("/session", json: wrong)
      #expect(first.status == 401)
      #expect(try first.json["detail"]?.string == "The name or the password is wrong.")
      #expect(first.field("Set-Cookie") == nil)
      var last = first
      for _ in 0..<50 where last.status == 401 { last = try await web.post("/session", json: wrong) }
      #expect(last.status == 429)
      let seconds = try #require(last.field("Retry-After").flatMap { Int($0) })
      #expect(seconds > 0)
      #expect(try last.json["title"]?.string == "Too Many Requests")
      // The limit also applies to HTTP Basic.
      #expect(try await web.get("/favourites", SiteFixture.basic("Ada", "wrong")).status == 429)
    }
  }

  @Test(arguments: [
    ("application/json", "{}", 400), ("application/json", "[", 400), ("text/plain", "x", 415),
    ("application/x-www-form-urlencoded", "name=x", 400),
    ("application/json", #"{"name":"\#(String(repeating: "x", count: 70_000))","password":"x"}"#, 413),
  ]) func `an invalid sign-in request is refused`(type: String, body: String, status: Int) async throws {
    try await withSite { web in
      let answer = try await web.ask("POST", "/session", ["Content-Type": type], body: Data(body.utf8))
      #expect(answer.status == status)
      #expect(answer.field("Content-Type") == "application/problem+json")
    }
  }

  @Test func `the error for a body that is too large has the maximum size`() async throws {
    try await withSite { web in
      let name = String(repeating: "x", count: 70_000)
      let answer = try await web.post("/session", json: #"{"name":"\#(name)","password":"x"}"#)
      #expect(
        try answer.json["detail"]?.string == "The request body is too large. The maximum is 64 KiB.")
    }
  }

  @Test func `wrong credentials are refused even on public pages`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      for field in ["Basic", "Basic !!!", "Bearer x", "Basic " + Data("nocolon".utf8).base64EncodedString()] {
        let answer = try await web.get("/posts", ["Authorization": field])
        #expect(answer.status == 401)
        #expect(answer.field("WWW-Authenticate") == "Basic realm=\"Kennel\"")
      }
      #expect(try await web.get("/posts", SiteFixture.basic("Ada", "wrong")).status == 401)
      #expect(try await web.get("/posts", SiteFixture.basic("Ada")).status == 200)
      // An invalid session has no user, and reading posts requires none.
      #expect(try await web.get("/posts", ["Cookie": "kennel=x"]).status == 200)
    }
  }

  @Test func `a password may begin with an accent`() async throws {
    try await withSite { web in
      let password = "\u{301}correct horse"
      _ = try await web.store.accounts.addUser("Ada", password: password, role: .member)
      #expect(try await web.get("/posts", SiteFixture.basic("Ada", password)).status == 200)
    }
  }

  @Test(arguments: [
    ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "https://evil.example"],
    ["Origin": "null"], ["Origin": "http://127.0.0.1:1"], ["Origin": "http://127.0.0.1.evil.example"],
  ]) func `requests from other sites cannot change anything`(fields: [String: String]) async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      let cookie = try await web.cookie()
      let all = fields.merging(cookie) { $1 }
      #expect(try await web.ask("PUT", "/posts/1/favourite", all).status == 403)
      #expect(try await web.ask("DELETE", "/posts/1", all).status == 403)
      #expect(try await web.post("/posts/1/comments", json: #"{"text":"x"}"#, all).status == 403)
      #expect(
        try await web.post("/session", json: #"{"name":"Ada","password":"correct horse"}"#, fields).status
          == 403)
      #expect(try await web.ask("DELETE", "/session", all).status == 403)
      #expect(try await web.get("/posts", all).status == 200)
      #expect(try await web.store.posts.post(1).favouriteCount == 0)
    }
  }

  @Test func `the kennel's own page and programs can make changes`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      let cookie = try await web.cookie()
      for fields in [
        [:], ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
        ["Origin": "http://127.0.0.1:\(web.port)"],
      ] {
        #expect(try await web.ask("PUT", "/posts/1/favourite", fields.merging(cookie) { $1 }).status == 200)
      }
    }
  }

  @Test func `forwarded fields count only from a trusted proxy`() throws {
    let request = try HTTPRequest(
      target: "/",
      fields: [
        "X-Forwarded-For": "1.2.3.4, 5.6.7.8, 10.0.0.1", "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "kennel.example", "Host": "inside",
      ], remoteAddress: "10.0.0.2")
    let direct = Client(request, behind: TrustedProxies())
    #expect((direct.address, direct.host, direct.isSecure) == ("10.0.0.2", "inside", false))
    let proxies = TrustedProxies(addresses: ["10.0.0.1", "10.0.0.2"])
    let behind = Client(request, behind: proxies)
    #expect((behind.address, behind.host, behind.isSecure) == ("5.6.7.8", "kennel.example", true))
  }
}
