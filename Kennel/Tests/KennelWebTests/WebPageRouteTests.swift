import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebPageRouteTests {
  private let browser = ["Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"]

  @Test func `the pages are HTML without unescaped text`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, caption: "<script>alert(1)</script>\" onload=\"x")
      _ = try await web.store.posts.addComment("</p><img src=x onerror=alert(2)>", to: 1, author: ada.id)
      for path in ["/", "/hearts", "/photos/1", "/?before=2"] {
        let answer = try await web.get(path, browser)
        #expect(answer.status == 200, "\(path)")
        #expect(answer.field("Content-Type") == "text/html; charset=utf-8")
        #expect(!answer.text.contains("<script>alert"))
        #expect(!answer.text.contains("<img src=x"))
        let tag = try #require(answer.field("ETag"))
        #expect(answer.field("Cache-Control") == "private, no-cache")
        #expect(try await web.get(path, browser.merging(["If-None-Match": tag]) { $1 }).status == 304)
      }
    }
  }

  @Test func `browsers get errors as pages and programs get problem documents`() async throws {
    try await withSite { web in
      for path in ["/photos/7", "/nothing", "/photos/x", "/assets/none.js", "/?before=x"] {
        let page = try await web.get(path, browser)
        #expect(page.field("Content-Type") == "text/html; charset=utf-8", "\(path)")
        #expect(page.status == (path.contains("before") ? 400 : 404))
        let problem = try await web.get(path)
        #expect(problem.field("Content-Type") == "application/problem+json")
        #expect(problem.status == page.status)
      }
      // The API routes return JSON to all clients.
      #expect(try await web.get("/posts/7", browser).field("Content-Type") == "application/problem+json")
    }
  }

  @Test func `crawlers are excluded`() async throws {
    try await withSite { web in
      let robots = try await web.get("/robots.txt")
      #expect(robots.status == 200)
      #expect(robots.text.contains("Disallow: /"))
    }
  }

  @Test(arguments: [
    "/assets/..%2f..%2fetc%2fpasswd", "/assets/%2e%2e/x", "/assets/%00", "/assets/../../etc/passwd",
  ])
  func `no path leaves the site`(path: String) async throws {
    try await withSite { web in
      let client = try RawClient(port: web.port)
      let answer = try await client.exchange(
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      let status = try #require(Int(answer.dropFirst(9).prefix(3)))
      #expect(status == 400 || status == 404, "\(answer.prefix(200))")
    }
  }

  @Test func `request data never becomes a header or a path`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let cookie = try await web.cookie()["Cookie"] ?? ""
      let jpeg = try SiteFixture.jpeg(1)
      let head =
        "POST /posts?caption=a%0d%0aSet-Cookie:%20evil=1%0d%0a%0d%0a<b> HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: image/jpeg\r\nCookie: \(cookie)\r\nContent-Length: \(jpeg.count)\r\n"
        + "Connection: close\r\n\r\n"
      let answer = try await RawClient(port: web.port).exchange(head, jpeg)
      #expect(answer.hasPrefix("HTTP/1.1 201"))
      let lines = answer.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
      #expect(!lines.contains { $0.lowercased().hasPrefix("set-cookie") })
      #expect(try await web.store.posts.post(1).caption == "a\r\nSet-Cookie: evil=1\r\n\r\n<b>")
      // Ids with a sign, with white space, or with digits of another script.
      for path in ["/posts/+1", "/posts/%D9%A1", "/posts/1%20", "/posts/1%0a"] {
        let answer = try await RawClient(port: web.port).exchange(
          "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(!answer.hasPrefix("HTTP/1.1 2"), "\(path)")
      }
    }
  }

  @Test func `an error page shows the signed-in user`() async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      let fields = browser.merging(try await web.cookie()) { $1 }
      for path in ["/photos/7", "/nothing"] {
        let answer = try await web.get(path, fields)
        #expect(answer.status == 404)
        #expect(answer.text.contains("data-viewer=\"Ada\"") && answer.text.contains("Account of Ada"))
        #expect(
          answer.field("Cache-Control") == "no-store"
            && answer.field("Vary") == "Accept, Cookie, Accept-Language")
        let nobody = try await web.get(path, browser)
        #expect(nobody.text.contains("data-viewer=\"\"") && nobody.text.contains("data-sign-in"))
      }
      // A password is not verified for an error page, so the page has no viewer.
      let other = browser.merging(SiteFixture.basic("Ada", "wrong")) { $1 }
      #expect(try await web.get("/nothing", other).text.contains("data-viewer=\"\""))
    }
  }

  @Test func `random requests are answered and never break the site`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada)
      var generator = SystemRandomNumberGenerator()
      let pieces = [
        "/", "posts", "1", "0", "thumbnail", "?", "size", "=", "96", "&", "format", "webp", "%", "%41",
        "comments",
        "collage", "of", ",", "-", "events", "x", "\u{00e9}", "photo", "peer", "limit", "9999999999", ".",
        "..",
      ]
      for _ in 0..<150 {
        let path =
          "/"
          + (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement() ?? "" }.joined()
        // This stream never ends, regardless of how its path is written.
        if (try? RequestTarget(path))?.segments == ["events"] { continue }
        let method = ["GET", "HEAD", "PUT", "DELETE", "POST"].randomElement() ?? "GET"
        let answer = try await RawClient(port: web.port).exchange(
          "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let status = Int(answer.dropFirst(9).prefix(3)) ?? 0
        #expect(200..<500 ~= status, "\(method) \(path): \(answer.prefix(300))")
      }
      #expect(try await web.get("/health").status == 200)
    }
  }
}
