import Foundation
import HTTPService
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Secret links to albums over HTTP.
@Suite(.timeLimit(.minutes(5))) struct WebAlbumLinkTests {
  /// Runs a closed kennel with four posts by Ada that have metadata. The first two are in album 1.
  private func withAlbum(
    clock: KennelClock = .system, _ body: (SiteFixture, _ ada: [String: String]) async throws -> Void
  ) async throws {
    try await withSite(clock: clock) {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...4 {
        try await web.addCameraPhoto(number, by: ada, caption: "Rex & <\(number)>")
      }
      _ = try await web.store.posts.addComment("Not for strangers", to: 1, author: ada.id)
      _ = try await web.store.albums.make(title: "Lake & <sea>", posts: [1, 2], by: ada.id)
      _ = try await web.store.albums.make(title: "Secret album", posts: [1, 3], by: ada.id)
      try await body(web, try await web.cookie("Ada"))
    }
  }

  private func makeLink(
    _ web: SiteFixture, _ cookie: [String: String], json: String = "{}"
  ) async throws -> (path: String, id: Int) {
    let answer = try await web.post("/albums/1/links", json: json, cookie)
    #expect(try answer.status == 201 && answer.json["album"]?.number == 1)
    return (try #require(try answer.json["path"]?.string), try #require(try answer.json["id"]?.number))
  }

  @Test func `who has a link sees the album, its photos and nothing else`() async throws {
    try await withAlbum { web, ada in
      let path = try await makeLink(web, ada).path
      let page = try await web.get(path)
      #expect(page.status == 200 && page.text.contains("Lake &amp; &lt;sea&gt;"))
      #expect(page.text.contains("\(path)/photos/1\"") && page.text.contains("\(path)/photos/2/thumbnail"))
      let photo = try await web.get("\(path)/photos/1")
      #expect(photo.status == 200 && photo.text.contains("Rex &amp; &lt;1&gt;"))
      // The other photo is a step away.
      #expect(photo.text.contains("rel=\"prev\"") || photo.text.contains("rel=\"next\""))
      for page in [page, photo] {
        #expect(!page.text.contains("Not for strangers") && !page.text.contains("Secret album"))
        #expect(!page.text.contains("&lt;3&gt;") && !page.text.contains("photos/3"))
        #expect(!page.text.contains("<script") && !page.text.contains("<form"))
        #expect(!page.text.contains("\"/posts/") && !page.text.contains("\"/photos/"))
        #expect(page.field("Content-Security-Policy")?.contains("script-src") == false)
      }
      let original = try await web.get("\(path)/photos/2/photo")
      #expect(original.status == 200 && !original.data.isEmpty && !CameraPhoto.isLeaking(original.data))
      let thumbnail = try await web.get("\(path)/photos/2/thumbnail?size=240")
      #expect(thumbnail.status == 200 && thumbnail.field("Content-Type") == "image/jpeg")
      for answer in [page, photo, original, thumbnail] {
        #expect(answer.field("Cache-Control") == "private, no-cache")
        #expect(answer.field("Referrer-Policy") == "no-referrer")
        #expect(answer.field("X-Robots-Tag") == "noindex, nofollow")
      }
      for other in [
        "/photos/3", "/photos/3/photo", "/photos/3/thumbnail", "/photos/99", "/photo", "/thumbnail",
        "/photos/1/comments",
      ] {
        let answer = try await web.get(path + other)
        #expect(answer.status == 404 && !answer.text.contains("Rex"), "\(other)")
      }
      for other in ["/albums/1", "/albums", "/posts/1", "/posts/1/thumbnail"] {
        #expect(try await web.get(other).status == 401)
      }
      // A link to a photo does not show the album.
      let token = try await web.store.posts.makeLink(to: .post(1), by: 1, lifetime: nil).token.text
      #expect(try await web.get("/s/\(token)").status == 200)
      for other in ["/photos/1", "/photos/1/photo", "/photos/1/thumbnail"] {
        #expect(try await web.get("/s/\(token)\(other)").status == 404)
      }
    }
  }

  @Test func `a link shows the photos that the album has when somebody looks`() async throws {
    try await withAlbum { web, ada in
      let path = try await makeLink(web, ada).path
      func shows(_ post: Int) async throws -> Bool {
        let statuses = [
          try await web.get("\(path)/photos/\(post)").status,
          try await web.get("\(path)/photos/\(post)/photo").status,
          try await web.get("\(path)/photos/\(post)/thumbnail").status,
        ]
        let isListed = try await web.get(path).text.contains("/photos/\(post)\"")
        #expect(Set(statuses) == (isListed ? [200] : [404]))
        return isListed
      }
      #expect(try await shows(2))
      #expect(try await !shows(4))
      _ = try await web.post("/albums/1/posts", json: #"{"posts":[4]}"#, ada)
      #expect(try await shows(4))
      _ = try await web.post("/albums/1/posts/remove", json: #"{"posts":[2]}"#, ada)
      #expect(try await !shows(2))
      #expect(try await web.ask("DELETE", "/posts/4", ada).status == 204)
      #expect(try await !shows(4))
      _ = try await web.post("/bin/4/restore", json: "{}", ada)
      #expect(try await shows(4))
      #expect(try await web.ask("DELETE", "/albums/1", ada).status == 204)
      #expect(try await web.get(path).status == 404)
      #expect(try await web.get("\(path)/photos/1").status == 404)
    }
  }

  @Test func `the album's owner and owners make and revoke links`() async throws {
    let time = ManualKennelClock()
    try await withAlbum(clock: time.clock) { web, ada in
      _ = try await web.store.addUser("Olga", role: .owner)
      _ = try await web.store.addUser("Ben")
      let (olga, ben) = (try await web.cookie("Olga"), try await web.cookie("Ben"))
      let (path, id) = try await makeLink(web, ada)
      let second = try await makeLink(web, olga, json: #"{"days":1}"#)
      #expect(try await web.post("/albums/1/links", json: "{}", ben).status == 403)
      #expect(try await web.get("/albums/1/links", ben).status == 403)
      #expect(try await web.ask("DELETE", "/albums/1/links/\(id)", ben).status == 403)
      #expect(try await web.get("/albums/1/links", ada).json["links"]?.count == 2)
      #expect(try await web.get("/albums/9/links", ada).status == 404)
      // The number of a link belongs to its album.
      #expect(try await web.ask("DELETE", "/albums/2/links/\(id)", ada).status == 404)
      #expect(try await web.ask("DELETE", "/posts/1/links/\(id)", ada).status == 404)
      #expect(try await web.ask("DELETE", "/albums/1/links/\(id)", olga).status == 204)
      for place in [path, path + "/photos/1", path + "/photos/1/photo", path + "/photos/1/thumbnail"] {
        let answer = try await web.get(place, ["Accept": "text/html"])
        #expect(answer.status == 404 && answer.text.contains("Ask the person who sent it"))
      }
      #expect(try await web.get(second.path).status == 200)
      time.advance(by: .seconds(24 * 3600))
      #expect(try await web.get(second.path).status == 410)
      #expect(try await web.get(second.path + "/photos/1/photo").status == 410)
    }
  }

  @Test func `a viewer who owns an album revokes its links, but makes none`() async throws {
    try await withAlbum { web, ada in
      let (path, id) = try await makeLink(web, ada)
      try await web.store.accounts.setRole(.viewer, of: 1)
      let code = await code { _ = try await web.store.posts.makeLink(to: .album(1), by: 1, lifetime: nil) }
      #expect(code == .notAllowed)
      #expect(try await web.post("/albums/1/links", json: "{}", ada).status == 403)
      #expect(try await web.get("/albums/1/links", ada).json["links"]?.count == 1)
      #expect(try await web.ask("DELETE", "/albums/1/links/\(id)", ada).status == 204)
      #expect(try await web.get(path).status == 404)
      _ = try await web.store.addUser("Ben")
      let refusal = try await web.post("/albums/1/links", json: "{}", try await web.cookie("Ben"))
      #expect(try refusal.json["detail"]?.string?.contains("Only the owner of the album or an owner") == true)
    }
  }

  @Test func `a photo that left the album after the visitor was admitted is not shown`() async throws {
    try await withAlbum { web, ada in
      let token = try await web.store.posts.makeLink(to: .album(1), by: 1, lifetime: nil).token
      for (post, isShown) in [(Post.ID(1), true), (3, false)] {
        var call = Call(request: try HTTPRequest(target: "/"))
        call.link = try await web.store.posts.link(token)
        (call.numbers, call.secret) = ([post], token.text)
        let answer = try? await web.site.endpoints.links.showPhoto(call)
        #expect((answer != nil) == isShown)
      }
    }
  }

  @Test func `long albums have pages`() async throws {
    try await withAlbum { web, ada in
      let user = try #require(try await web.store.accounts.user(named: "Ada"))
      var added: [Post.ID] = []
      for number in 1...31 { added.append(try await web.addPicture(number, by: user).id) }
      _ = try await web.store.albums.add(added, to: 1, by: user.id)
      let path = try await makeLink(web, ada).path
      let first = try await web.get(path).text
      let address = try #require(first.firstMatch(of: /class="older button" rel="next" href="([^"]+)"/)?.1)
      #expect(address.hasPrefix("\(path)?before="))
      let rest = try await web.get(String(address)).text
      #expect(rest.contains("\(path)/photos/1\"") && !first.contains("\(path)/photos/1\""))
      #expect(rest.contains("<a href=\"\(path)\">Newest photos</a>"))
      #expect(try await web.get("\(path)?before=x").status == 400)
    }
  }
}
