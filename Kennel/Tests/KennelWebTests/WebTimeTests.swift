import Foundation
import KennelTestSupport
import Retriever
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebTimeTests {
  /// Runs a site in the time zone of Berlin, with the members Ada and Ben.
  private func withSiteInBerlin(_ body: (SiteFixture, _ ada: [String: String]) async throws -> Void)
    async throws
  {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    try await withSite(
      store: { $0.timeZone = zone },
      { web in
        _ = try await web.store.addUser("Ada")
        _ = try await web.store.addUser("Ben")
        try await body(web, try await web.cookie("Ada"))
      })
  }

  private func upload(_ photo: Data, _ web: SiteFixture, _ cookie: [String: String]) async throws -> JSONValue
  {
    let fields = cookie.merging(["Content-Type": "image/jpeg"]) { $1 }
    let answer = try await web.ask("POST", "/posts", fields, body: photo)
    #expect(answer.status == 201)
    return try answer.json
  }

  private func edit(
    _ id: Int, _ json: String, _ web: SiteFixture, _ fields: [String: String]
  ) async throws -> SiteFixture.Answer {
    try await web.ask(
      "PATCH", "/posts/\(id)", fields.merging(["Content-Type": "application/json"]) { $1 },
      body: Data(json.utf8))
  }

  private func ids(_ json: JSONValue) -> [Int] {
    guard case .array(let posts)? = json["posts"] else { return [] }
    return posts.compactMap { $0["id"]?.number }
  }

  @Test func `an uploaded photo has the time of its camera`() async throws {
    try await withSiteInBerlin { web, ada in
      let plain = try SiteFixture.jpeg(1)
      let abroad = EXIFFixture.jpeg(plain, original: "2015:03:04 05:06:07", zone: "+09:00")
      let first = try await upload(abroad, web, ada)
      #expect(
        first["taken"]?.string == "2015-03-04T05:06:07+09:00" && first["takenSource"]?.string == "camera")
      let second = try await upload(EXIFFixture.jpeg(plain, original: "2015:07:04 05:06:07"), web, ada)
      #expect(second["taken"]?.string == "2015-07-04T05:06:07+02:00")
      #expect(second["takenSource"]?.string == "camera-clock")
      for unknown in ["0000:00:00 00:00:00", "1970:01:01 00:00:00", "2999:01:01 00:00:00", "nonsense"] {
        let post = try await upload(EXIFFixture.jpeg(plain, original: unknown), web, ada)
        #expect(post["takenSource"]?.string == "shared", "\(unknown)")
        let taken = try #require(TakenTime(post["taken"]?.string ?? "", in: .gmt, source: .shared))
        #expect(taken.date.iso8601 == post["created"]?.string)
      }
      #expect(ids(try await web.get("/posts").json) == [6, 5, 4, 3, 2, 1])
      #expect(ids(try await web.get("/posts?month=2015-03").json) == [1])
    }
  }

  @Test func `months are listed with their numbers of posts, and pages begin with them`() async throws {
    try await withSiteInBerlin { web, _ in
      let ada = try #require(try await web.store.accounts.user(named: "Ada"))
      for (index, time) in ["2026-07-14T10:00Z", "2026-07-31T23:59Z", "2019-01-01T00:00Z"].enumerated() {
        try await web.store.addPost(index, by: ada, taken: try .at(time))
      }
      let answer = try await web.get("/months")
      #expect(
        answer.text == #"{"months":[{"month":"2026-07","posts":2,"links":{"posts":"/posts?month=2026-07","#
          + #""page":"/?month=2026-07"}},{"month":"2019-01","posts":1,"links":{"posts":"/posts?month=2019-01","#
          + #""page":"/?month=2019-01"}}]}"#)
      let tag = try #require(answer.field("ETag"))
      #expect(try await web.get("/months", ["If-None-Match": tag]).status == 304)
      let page = try await web.get("/?month=2019-01").text
      #expect(page.contains("data-post=\"3\"") && !page.contains("data-post=\"2\""))
      #expect(page.contains("<h2 tabindex=\"-1\">January 2019</h2>"))
      #expect(page.contains("href=\"/?month=2026-07\"") && page.contains("<p class=\"newest\">"))
      _ = try await web.store.posts.edit(3, PostChange(taken: try .at("2026-07-01T00:00Z")), by: ada.id)
      #expect(try await web.get("/months", ["If-None-Match": tag]).status == 200)
    }
  }

  @Test func `a caption and a time are changed, and no page shows the old ones`() async throws {
    try await withSiteInBerlin { web, ada in
      let post = try await upload(try SiteFixture.jpeg(1), web, ada)
      let id = try #require(post["id"]?.number)
      let paths = ["/", "/photos/\(id)", "/posts"]
      var tags: [String] = []
      for path in paths { tags.append(try #require(try await web.get(path).field("ETag"))) }
      let changed = try await edit(id, #"{"caption":"Ball <3","taken":"2012-07-01T08:30"}"#, web, ada)
      #expect(changed.status == 200)
      // Without a zone, it is that of the kennel.
      #expect(try changed.json["taken"]?.string == "2012-07-01T08:30:00+02:00")
      #expect(try changed.json["takenSource"]?.string == "edited")
      #expect(try changed.json["created"]?.string == post["created"]?.string)
      for (path, tag) in zip(paths, tags) {
        let answer = try await web.get(path, ["If-None-Match": tag])
        #expect(
          answer.status == 200 && answer.text.contains("Ball") && answer.text.contains("2012"), "\(path)")
      }
      let kept = try await edit(id, #"{"taken":"2012-07-02T08:30:00-03:00"}"#, web, ada).json
      #expect(kept["caption"]?.string == "Ball <3" && kept["taken"]?.string == "2012-07-02T08:30:00-03:00")
    }
  }

  @Test(arguments: [
    (#"{}"#, 400), (#"{"caption":3}"#, 400), ("", 400), (#"{"taken":"yesterday"}"#, 422),
    (#"{"taken":"2999-01-01T00:00Z"}"#, 422), (#"{"taken":"0001-01-01T00:00Z"}"#, 422),
  ])
  func `an invalid change is refused`(json: String, status: Int) async throws {
    try await withSiteInBerlin { web, ada in
      let post = try await upload(try SiteFixture.jpeg(1), web, ada)
      #expect(try await edit(1, json, web, ada).status == status)
      #expect(try await web.get("/posts/1", ada).json == post)
    }
  }

  @Test func `only the author and owners change a post, and no other site does`() async throws {
    try await withSiteInBerlin { web, ada in
      _ = try await upload(try SiteFixture.jpeg(1), web, ada)
      let change = #"{"caption":"Mine"}"#
      #expect(try await edit(1, change, web, [:]).status == 401)
      #expect(try await edit(1, change, web, try await web.cookie("Ben")).status == 403)
      #expect(try await edit(2, change, web, ada).status == 404)
      #expect(
        try await edit(1, change, web, ada.merging(["Sec-Fetch-Site": "cross-site"]) { $1 }).status == 403)
      let text = ada.merging(["Content-Type": "text/plain"]) { $1 }
      #expect(try await web.ask("PATCH", "/posts/1", text, body: Data(change.utf8)).status == 415)
      let long = "{\"caption\":\"\(String(repeating: "a", count: 2001))\"}"
      #expect(try await edit(1, long, web, ada).status == 422)
      #expect(try await edit(1, change, web, ada).status == 200)
    }
  }
}
