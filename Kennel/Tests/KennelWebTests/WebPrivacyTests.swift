import Foundation
import HTTPService
import KennelTestSupport
import Retriever
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// A kennel whose photos only people with an account may see.
@Suite(.timeLimit(.minutes(5))) struct WebPrivacyTests {
  /// Runs a closed kennel with the owner Ada, the member Ben, and one post with a comment.
  private func withClosedSite(
    _ change: (inout KennelSite.Configuration) -> Void = { _ in }, _ body: (SiteFixture) async throws -> Void
  ) async throws {
    try await withSite {
      $0.isOpenToEveryone = false
      change(&$0)
    } _: { web in
      let ada = try await web.store.addUser("Ada", role: .owner)
      _ = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: ada, caption: "Secret dog")
      _ = try await web.store.posts.addComment("Secret word", to: 1, author: ada.id)
      try await body(web)
    }
  }

  /// A path that matches the pattern of a route.
  private static func path(of route: Route<Endpoints>) -> String {
    let segments = route.pattern.map { segment in
      switch segment {
      case .literal(let text): text
      case .number: "1"
      case .name: "app.js"
      }
    }
    return "/" + segments.joined(separator: "/")
  }

  @Test func `of all routes, strangers reach only those that show nothing`() async throws {
    try await withClosedSite { web in
      for route in Endpoints.router.routes {
        let body = route.method == .get ? nil : Data("{}".utf8)
        let answer = try await web.ask(route.method.rawValue, Self.path(of: route), body: body)
        let text = answer.text + answer.response.allHeaderFields.description
        #expect(!text.contains("Secret"), "\(route.method) \(route.name)")
        if route.access == .everyone {
          #expect(answer.status != 401 || route.name == "/session", "\(route.method) \(route.name)")
        } else {
          #expect(answer.status == 401, "\(route.method) \(route.name)")
          #expect(answer.field("WWW-Authenticate") == "Basic realm=\"Kennel\"")
          #expect(answer.field("Cache-Control") == "no-store")
        }
      }
    }
  }

  @Test func `people with an account see everything, and no shared cache keeps it`() async throws {
    try await withClosedSite { web in
      let cookie = try await web.cookie("Ben")
      // Events do not end, and the post is not in the bin.
      let others = ["/events", "/bin/{id}/thumbnail"]
      for route in Endpoints.router.routes where route.method == .get && !others.contains(route.name) {
        for fields in [cookie, SiteFixture.basic("Ben")] {
          let answer = try await web.get(Self.path(of: route), fields)
          if route.access == .everyone { continue }
          #expect(answer.status == 200, "\(route.name)")
          let directives = (answer.field("Cache-Control") ?? "").components(separatedBy: ", ")
          #expect(directives.contains("private") || directives.contains("no-store"), "\(route.name)")
          #expect(!directives.contains("public"), "\(route.name)")
        }
      }
      let photo = try await web.get("/posts/1/photo", cookie)
      #expect(photo.field("Cache-Control") == "private, max-age=31536000, immutable")
      // Also if the client has it already.
      let fields = cookie.merging(["If-None-Match": photo.field("ETag") ?? ""]) { $1 }
      let unchanged = try await web.get("/posts/1/photo", fields)
      #expect(unchanged.status == 304)
      #expect(unchanged.field("Cache-Control") == "private, max-age=31536000, immutable")
      #expect(try await web.get("/posts/1/photo", ["If-None-Match": photo.field("ETag") ?? ""]).status == 401)
    }
  }

  @Test func `a decision counts from the next request on`() async throws {
    try await withClosedSite { web in
      #expect(try await web.get("/posts").status == 401)
      try await web.store.setVisibility(.everyone)
      #expect(try await web.get("/posts").text.contains("Secret dog"))
      #expect(try await web.get("/posts/1/photo").field("Cache-Control")?.hasPrefix("public") == true)
      try await web.store.setVisibility(.people)
      #expect(try await web.get("/posts").status == 401)
      try await web.store.setVisibility(.undecided)
      #expect(try await web.get("/posts").status == 200)
    }
  }

  @Test func `a wrong password and an ended session see nothing`() async throws {
    try await withClosedSite { web in
      #expect(try await web.get("/posts", SiteFixture.basic("Ben", "wrong password")).status == 401)
      let cookie = try await web.cookie("Ben")
      #expect(try await web.get("/posts/1", cookie).status == 200)
      #expect(try await web.ask("DELETE", "/session", cookie).status == 204)
      #expect(try await web.get("/posts/1", cookie).status == 401)
    }
  }

  @Test func `the health check works without an account, and counts nothing`() async throws {
    try await withClosedSite { web in
      let answer = try await web.get("/health")
      #expect(answer.status == 200)
      #expect(try answer.json["status"]?.string == "ok")
      #expect(try answer.json["posts"] == nil)
    }
  }

  // MARK: The page

  @Test func `a browser gets a form instead of the page, and then the page`() async throws {
    try await withClosedSite { web in
      let answer = try await web.get(
        "/photos/1?after=0", ["Accept": "text/html", "Sec-Fetch-Mode": "navigate"])
      #expect(answer.status == 401)
      #expect(answer.field("WWW-Authenticate") == "Session realm=\"Kennel\"")
      #expect(answer.text.contains(#"action="/session?next=/photos/1%3Fafter%3D0""#))
      #expect(!answer.text.contains("Secret"))
      var request = try web.request(
        "POST", "/session?next=/photos/1%3Fafter%3D0",
        ["Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"])
      request.httpBody = Data("name=Ben&password=wrong".utf8)
      let (refusal, refused) = try await web.session.data(for: request)
      #expect((refused as? Retriever.HTTPURLResponse)?.statusCode == 401)
      // The form is there again, and still knows the page.
      #expect(String(decoding: refusal, as: UTF8.self).contains(#"next=/photos/1%3Fafter%3D0""#))
      request.httpBody = Data("name=Ben&password=correct+horse".utf8)
      let (page, response) = try await web.session.data(for: request)
      #expect(response.url?.path == "/photos/1")
      #expect(String(decoding: page, as: UTF8.self).contains("Secret dog"))
    }
  }

  @Test(arguments: [
    "//evil.example", "/\\evil.example", "https://evil.example", "evil", "", "/a\r\nSet-Cookie: x", "/a b",
    "/ä",
  ])
  func `a sign-in leads to no other site`(text: String) {
    #expect(ReturnAddress(untrusted: text) == .start)
  }

  @Test(arguments: ["/", "/photos/12?after=3", "/hearts?before=9&x=%2F"])
  func `a sign-in leads to the page that was wanted`(text: String) {
    #expect(ReturnAddress(untrusted: text).text == text)
    #expect(ReturnAddress(untrusted: text).escaped.removingPercentEncoding == text)
  }

  // MARK: Streams

  @Test func `a stream of events ends when its session ends`() async throws {
    try await withClosedSite { web in
      #expect(try await web.get("/events").status == 401)
      let cookie = try await web.cookie("Ben")
      let (bytes, _) = try await web.session.bytes(for: try web.request("GET", "/events", cookie))
      var lines = bytes.lines.makeAsyncIterator()
      #expect(try await lines.next()?.contains("hello") == true)
      let ada = try #require(try await web.store.accounts.user(named: "Ada"))
      try await web.store.addPost(2, by: ada)
      #expect(try await lines.next()?.contains("\"post\":2") == true)
      #expect(try await web.ask("DELETE", "/session", cookie).status == 204)
      try await web.store.addPost(3, by: ada)
      #expect(try await lines.next() == nil)
    }
  }

  @Test func `a stream of a stranger ends when the kennel is closed to others`() async throws {
    try await withClosedSite { web in
      try await web.store.setVisibility(.everyone)
      let (bytes, _) = try await web.session.bytes(for: try web.request("GET", "/events"))
      var lines = bytes.lines.makeAsyncIterator()
      #expect(try await lines.next()?.contains("hello") == true)
      try await web.store.setVisibility(.people)
      let ada = try #require(try await web.store.accounts.user(named: "Ada"))
      try await web.store.addPost(2, by: ada)
      #expect(try await lines.next() == nil)
    }
  }

  // MARK: Proxies with an authentication of their own

  @Test func `an Authorization field of a proxy does not end the session of a cookie`() async throws {
    try await withClosedSite { web in
      let cookie = try await web.cookie("Ben")
      let foreign = SiteFixture.basic("somebody", "of the proxy")
      #expect(try await web.get("/posts", cookie.merging(foreign) { $1 }).status == 200)
      // A browser that has not signed in gets the form, also behind a proxy, and is not counted as an attempt.
      for _ in 0..<30 {
        let answer = try await web.get(
          "/", foreign.merging(["Sec-Fetch-Mode": "navigate", "Accept": "text/html"]) { $1 })
        #expect(answer.status == 401)
        #expect(answer.text.contains(#"action="/session"#))
      }
      #expect(try await web.get("/posts", SiteFixture.basic("Ben")).status == 200)
    }
  }

  @Test func `a setting ignores all Authorization fields`() async throws {
    try await withClosedSite {
      $0.ignoresAuthorization = true
    } _: { web in
      #expect(try await web.get("/posts", SiteFixture.basic("Ben")).status == 401)
      let cookie = try await web.cookie("Ben")
      #expect(try await web.get("/posts", cookie).status == 200)
    }
  }

  @Test func `directives of the cache are kept, except that the response is private`() {
    for (before, after) in [
      ("public, max-age=5, immutable", "private, max-age=5, immutable"), ("no-store", "no-store"),
      ("private, no-cache", "private, no-cache"), ("max-age=5", "private, max-age=5"),
    ] {
      var fields: HTTPFields = ["Cache-Control": before]
      CacheControl.makePrivate(&fields)
      #expect(fields["Cache-Control"] == after)
    }
    var fields = HTTPFields()
    CacheControl.makePrivate(&fields)
    #expect(fields["Cache-Control"] == "private, no-cache")
  }
}
