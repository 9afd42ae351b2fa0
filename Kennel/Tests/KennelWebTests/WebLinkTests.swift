import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Secret links over HTTP.
@Suite(.timeLimit(.minutes(5))) struct WebLinkTests {
  /// Runs a closed kennel with a post by Ada, whose photo has metadata.
  private func withPost(
    clock: KennelClock = .system, _ body: (SiteFixture, _ ada: [String: String]) async throws -> Void
  ) async throws {
    try await withSite(clock: clock) {
      $0.isOpenToEveryone = false
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      let ben = try await web.store.addUser("Ben")
      try await web.addCameraPhoto(1, by: ada, caption: "Rex & <friends>")
      _ = try await web.store.posts.addComment("Not for strangers", to: 1, author: ben.id)
      try await body(web, try await web.cookie("Ada"))
    }
  }

  private func makeLink(
    _ web: SiteFixture, _ cookie: [String: String], json: String = "{}"
  ) async throws -> (path: String, id: Int) {
    let answer = try await web.post("/posts/1/links", json: json, cookie)
    #expect(answer.status == 201 && answer.field("Cache-Control") == "no-store")
    return (try #require(try answer.json["path"]?.string), try #require(try answer.json["id"]?.number))
  }

  @Test func `who has a link sees the photo and nothing else`() async throws {
    try await withPost { web, ada in
      let path = try await makeLink(web, ada).path
      let page = try await web.get(path)
      #expect(page.status == 200)
      #expect(page.text.contains("Rex &amp; &lt;friends&gt;") && page.text.contains("Ada"))
      #expect(!page.text.contains("Not for strangers") && !page.text.contains("Ben"))
      #expect(!page.text.contains("<script") && !page.text.contains("<form"))
      #expect(!page.text.contains("/posts/") && !page.text.contains("/photos/"))
      #expect(page.text.contains("<meta name=\"robots\" content=\"noindex, nofollow\">"))
      let photo = try await web.get("\(path)/photo")
      #expect(photo.status == 200 && !photo.data.isEmpty && !CameraPhoto.isLeaking(photo.data))
      let thumbnail = try await web.get("\(path)/thumbnail?size=240&format=webp")
      #expect(thumbnail.status == 200 && thumbnail.field("Content-Type") == "image/webp")
      for answer in [page, photo, thumbnail, try await web.get("\(path)/thumbnail?size=240&format=webp")] {
        #expect(answer.field("Cache-Control") == "private, no-cache")
        #expect(answer.field("Referrer-Policy") == "no-referrer")
        #expect(answer.field("X-Robots-Tag") == "noindex, nofollow")
      }
      #expect(page.field("Content-Security-Policy")?.contains("script-src") == false)
      let tag = ["If-None-Match": photo.field("ETag") ?? ""]
      #expect(try await web.get("\(path)/photo", tag).status == 304)
      #expect(try await web.get("\(path)/photo", ["Range": "bytes=0-9"]).data == photo.data.prefix(10))
      #expect(try await web.get("/posts/1").status == 401)
    }
  }

  @Test func `a revoked link does not work any more`() async throws {
    try await withPost { web, ada in
      let (path, id) = try await makeLink(web, ada)
      #expect(try await web.get("/posts/1/links", ada).json["links"]?.count == 1)
      #expect(try await web.get("/posts/1/links", ada).text.contains(path) == false)
      let ben = try await web.cookie("Ben")
      #expect(try await web.ask("DELETE", "/posts/1/links/\(id)", ben).status == 403)
      #expect(try await web.post("/posts/1/links", json: "{}", ben).status == 403)
      #expect(try await web.ask("DELETE", "/posts/1/links/\(id)", ada).status == 204)
      for place in [path, path + "/photo", path + "/thumbnail"] {
        let answer = try await web.get(place, ["Accept": "text/html"])
        #expect(answer.status == 404 && answer.field("Cache-Control") == "no-store")
        #expect(answer.field("Referrer-Policy") == "no-referrer")
        #expect(answer.text.contains("Ask the person who sent it") && !answer.text.contains("<script"))
      }
      #expect(try await web.ask("DELETE", "/posts/1/links/\(id)", ada).status == 404)
    }
  }

  @Test func `a link expires after a week, or when its maker wants`() async throws {
    let time = ManualKennelClock()
    try await withPost(clock: time.clock) { web, ada in
      let week = try await makeLink(web, ada).path
      let day = try await makeLink(web, ada, json: #"{"days":1}"#).path
      let always = try await makeLink(web, ada, json: #"{"never":true}"#).path
      for json in [#"{"days":0}"#, #"{"days":3651}"#, #"{"days":2,"never":true}"#] {
        #expect(try await web.post("/posts/1/links", json: json, ada).status == 422)
      }
      #expect(try await web.get(week).text.contains("It works until"))
      #expect(try await !web.get(always).text.contains("It works until"))
      time.advance(by: .seconds(24 * 3600))
      #expect(try await web.get(day, ["Accept": "text/html"]).status == 410)
      #expect(try await web.get(day + "/photo").status == 410)
      #expect(try await web.get(week).status == 200)
      time.advance(by: .seconds(6 * 24 * 3600))
      #expect(try await web.get(week).text.contains("expired"))
      #expect(try await web.get(always).status == 200)
    }
  }

  @Test func `links that do not exist are limited`() async throws {
    let time = ManualKennelClock()
    try await withPost(clock: time.clock) { web, ada in
      let path = try await makeLink(web, ada).path
      for _ in 0..<20 { #expect(try await web.get("/s/guess").status == 404) }
      let refused = try await web.get("/s/guess")
      #expect(refused.status == 429 && refused.field("Retry-After") == "10")
      // Not even a right one is answered, because that would reveal it.
      #expect(try await web.get(path).status == 429)
      time.advance(by: .seconds(10))
      #expect(try await web.get(path).status == 200)
    }
  }
}
