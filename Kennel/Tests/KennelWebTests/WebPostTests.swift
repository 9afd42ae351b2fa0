import Foundation
import KennelTestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebPostTests {
  @Test func `a post has the documented JSON format`() async throws {
    try await withSite(clock: ManualKennelClock().clock) { web in
      let ada = try await web.store.addUser("Ada")
      let post = try await web.addPicture(1, by: ada, caption: "Bello \"<script>\" & \u{1F415}")
      let answer = try await web.get("/posts/\(post.id)")
      #expect(answer.status == 200)
      #expect(answer.field("Content-Type") == "application/json")
      let json = try answer.json
      #expect(json["id"]?.number == 1)
      #expect(json["author"]?.string == "Ada")
      #expect(json["caption"]?.string == "Bello \"<script>\" & \u{1F415}")
      #expect(json["created"]?.string == "2027-01-15T08:00:00Z")
      #expect(json["photo"]?["hash"]?.string == post.photo.description)
      #expect(json["photo"]?["width"]?.number == 40)
      #expect(json["photo"]?["height"]?.number == 30)
      #expect(json["photo"]?["format"]?.string == "jpeg")
      #expect(json["photo"]?["bytes"]?.number == post.byteCount)
      #expect(json["thumbHash"]?.string.flatMap { Data(base64Encoded: $0) } == Data(post.facts.thumbHash))
      #expect(json["favourites"]?.number == 0)
      #expect(json["isFavourite"] == .bool(false))
      #expect(json["comments"]?.number == 0)
      #expect(json["origin"] == .null)
      #expect(json["links"]?["self"]?.string == "/posts/1")
      #expect(json["links"]?["photo"]?.string == "/posts/1/photo")
      #expect(json["links"]?["thumbnail"]?.string == "/posts/1/thumbnail")
      #expect(json["links"]?["page"]?.string == "/photos/1")
      // JSON that is inserted into a page by mistake cannot start a tag.
      #expect(!answer.text.contains("<"))
    }
  }

  @Test func `pages of posts link to each other`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...5 { try await web.store.addPost(number, by: ada) }
      var path: String? = "/posts?limit=2"
      var pages: [[Int]] = []
      while let next = path {
        let answer = try await web.get(next)
        #expect(answer.status == 200)
        guard case .array(let posts)? = try answer.json["posts"] else { break }
        pages.append(posts.compactMap { $0["id"]?.number })
        let link = answer.field("Link")
        path = try answer.json["next"]?.string.map { "/posts?before=\($0)&limit=2" }
        #expect(link == path.map { "<\($0)>; rel=\"next\"" })
      }
      #expect(pages == [[5, 4], [3, 2], [1]])
    }
  }

  @Test func aPageThatHasNotChangedIsNotSentAgain() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      let first = try await web.get("/posts")
      let tag = try #require(first.field("ETag"))
      let second = try await web.get("/posts", ["If-None-Match": tag])
      #expect(second.status == 304)
      #expect(second.data.isEmpty)
      #expect(second.field("ETag") == tag)
      _ = try await web.store.posts.setFavourite(true, post: 1, user: ada.id)
      #expect(try await web.get("/posts", ["If-None-Match": tag]).status == 200)
    }
  }

  @Test(arguments: [
    "/posts?limit=x", "/posts?limit=-1", "/posts?month=2026-13", "/posts?month=2026-07&before=3",
    "/posts?before=zz_0", "/posts?before=_", "/posts?before=+1_1", "/posts?before=1.5", "/posts?before=0",
    "/posts?limit=1e3",
    "/posts?limit=101", "/posts?limit=9999999999", "/peer/posts?limit=101", "/collage?columns=21",
  ])
  func `an invalid parameter is refused`(path: String) async throws {
    try await withSite { web in
      let answer = try await web.get(path)
      #expect(answer.status == 400)
      #expect(answer.field("Content-Type") == "application/problem+json")
      #expect(try answer.json["status"]?.number == 400)
      #expect(try answer.json["type"]?.string == "about:blank")
      #expect(try answer.json["title"]?.string == "Bad Request")
    }
  }

  @Test(arguments: [
    "/nothing", "/posts/", "/posts/0", "/posts/-1", "/posts/01x", "/posts/1/2/3", "/posts/7",
    "/posts/99999999999999999999", "/POSTS",
  ])
  func `a missing resource is a problem document`(path: String) async throws {
    try await withSite { web in
      let answer = try await web.get(path)
      #expect(answer.status == 404)
      #expect(answer.field("Content-Type") == "application/problem+json")
      #expect(try answer.json["detail"]?.string?.hasSuffix(".") == true)
    }
  }

  @Test func `an unsupported method gets the list of allowed methods`() async throws {
    try await withSite { web in
      let posts = try await web.ask("PUT", "/posts")
      #expect(posts.status == 405)
      #expect(posts.field("Allow") == "GET, HEAD, POST")
      #expect(try posts.json["title"]?.string == "Method Not Allowed")
      #expect(try await web.ask("POST", "/posts/1/photo").field("Allow") == "GET, HEAD")
      #expect(try await web.ask("DELETE", "/health").status == 405)
      #expect(try await web.ask("OPTIONS", "/session").field("Allow") == "GET, HEAD, POST, DELETE")
    }
  }

  @Test func `HEAD has the fields of GET and no body`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada)
      for path in ["/posts", "/posts/1", "/posts/1/photo", "/posts/1/thumbnail", "/health", "/"] {
        // The length of a compressed body is not the length of what the client decodes.
        let get = try await web.get(path, ["Accept-Encoding": "identity"])
        let head = try await web.ask("HEAD", path, ["Accept-Encoding": "identity"])
        #expect(head.status == 200)
        #expect(head.data.isEmpty)
        #expect(head.field("Content-Length") == String(get.data.count), "\(path)")
        #expect(head.field("ETag") == get.field("ETag"))
      }
    }
  }

  @Test func `authors and owners can delete posts`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben")
      _ = try await web.store.addUser("Olga", role: .owner)
      for number in 1...3 { try await web.store.addPost(number, by: ada) }
      #expect(try await web.ask("DELETE", "/posts/1").status == 401)
      let other = try await web.ask("DELETE", "/posts/1", SiteFixture.basic("Ben"))
      #expect(other.status == 403)
      #expect(try other.json["detail"]?.string == "Only the author or an owner can change or delete this.")
      let mine = try await web.ask("DELETE", "/posts/1", SiteFixture.basic("Ada"))
      #expect(mine.status == 204)
      #expect(mine.data.isEmpty)
      #expect(try await web.ask("DELETE", "/posts/1", SiteFixture.basic("Ada")).status == 404)
      #expect(try await web.ask("DELETE", "/posts/2", SiteFixture.basic("Olga")).status == 204)
      #expect(try await web.get("/posts").json["posts"]?.count == 1)
    }
  }

  @Test func `every response has the security fields`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada)
      for path in ["/posts", "/posts/1/thumbnail", "/posts/1/photo", "/nothing", "/", "/health", "/metrics"] {
        let answer = try await web.get(path)
        #expect(answer.field("X-Content-Type-Options") == "nosniff", "\(path)")
        #expect(answer.field("Referrer-Policy") == "same-origin")
        #expect(answer.field("Cross-Origin-Resource-Policy") == "same-origin")
        let policy = try #require(answer.field("Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
      }
    }
  }
}
