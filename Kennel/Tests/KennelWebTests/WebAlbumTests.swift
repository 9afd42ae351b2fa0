import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// Albums over HTTP: the interface for programs, and the pages.
@Suite(.timeLimit(.minutes(5))) struct WebAlbumTests {
  /// Runs a kennel with three posts by Ben.
  private func withPosts(_ body: (SiteFixture, _ ben: [String: String]) async throws -> Void) async throws {
    try await withSite { web in
      _ = try await web.store.addUser("Ada", role: .owner)
      let ben = try await web.store.addUser("Ben")
      _ = try await web.store.addUser("Cleo")
      for number in 1...3 { try await web.addPicture(number, by: ben, caption: "Dog \(number)") }
      try await body(web, try await web.cookie("Ben"))
    }
  }

  private static let page = ["Accept": "text/html"]

  @Test func `an album is made, filled, changed and deleted`() async throws {
    try await withPosts { web, ben in
      let made = try await web.post("/albums", json: #"{"title":"Lake","posts":[1]}"#, ben)
      #expect(made.status == 201 && made.field("Location") == "/albums/1")
      #expect(try made.json["title"]?.string == "Lake" && made.json["cover"]?.number == 1)
      #expect(try made.json["mayEdit"] == .bool(true))
      let added = try await web.post("/albums/1/posts", json: #"{"posts":[1,2,3,99]}"#, ben)
      #expect(try added.status == 200 && added.json["added"]?.number == 2)
      #expect(try added.json["album"]?["postCount"]?.number == 3)

      let first = try await web.get("/albums/1?limit=2")
      #expect(try first.json["posts"]?.count == 2 && first.json["mayEdit"] == .bool(false))
      let next = try #require(try first.json["next"]?.string)
      #expect(first.field("Link") == "</albums/1?before=\(next)&limit=2>; rel=\"next\"")
      let rest = try await web.get("/albums/1?limit=2&before=\(next)")
      #expect(try rest.json["posts"]?[0]?["id"]?.number == 1 && rest.json["next"] == .null)

      let changes = Data(#"{"title":"Sea","isOpen":true,"cover":2}"#.utf8)
      let json = ben.merging(["Content-Type": "application/json"]) { $1 }
      let changed = try await web.ask("PATCH", "/albums/1", json, body: changes)
      #expect(try changed.status == 200 && changed.json["title"]?.string == "Sea")
      #expect(try changed.json["cover"]?.number == 2 && changed.json["isOpen"] == .bool(true))
      let removed = try await web.post("/albums/1/posts/remove", json: #"{"posts":[2,99]}"#, ben)
      #expect(try removed.json["removed"]?.number == 1 && removed.json["album"]?["cover"]?.number == 3)
      #expect(try await web.get("/albums").json["albums"]?[0]?["title"]?.string == "Sea")
      #expect(try await web.ask("DELETE", "/albums/1", ben).status == 204)
      #expect(try await web.get("/albums/1").status == 404)
      #expect(try await web.get("/albums").json["albums"]?.count == 0)
      #expect(try await web.get("/posts/2").status == 200)
    }
  }

  @Test func `mistakes are explained`() async throws {
    try await withPosts { web, ben in
      _ = try await web.post("/albums", json: #"{"title":"Lake"}"#, ben)
      let cleo = try await web.cookie("Cleo")
      for (path, json, fields, status) in [
        ("/albums", #"{"title":" "}"#, ben, 422), ("/albums", #"{"name":"Lake"}"#, ben, 400),
        ("/albums/1/posts", #"{"posts":["1"]}"#, ben, 400), ("/albums/9/posts", #"{"posts":[1]}"#, ben, 404),
        ("/albums/1/posts", #"{"posts":[1]}"#, cleo, 403),
        ("/albums/1/posts", #"{"posts":[\#((1...1001).map(String.init).joined(separator: ","))]}"#, ben, 422),
      ] {
        let answer = try await web.post(path, json: json, fields)
        #expect(answer.status == status, "\(path) \(json.prefix(40))")
        #expect(answer.field("Content-Type") == "application/problem+json")
        #expect(try answer.json["detail"]?.string?.isEmpty == false)
      }
      let form = ben.merging(["Content-Type": "text/plain"]) { $1 }
      #expect(try await web.ask("POST", "/albums", form, body: Data("{}".utf8)).status == 415)
      let json = ben.merging(["Content-Type": "application/json"]) { $1 }
      for (body, status) in [("{}", 400), (#"{"cover":1}"#, 404), (#"{"title":""}"#, 422)] {
        #expect(try await web.ask("PATCH", "/albums/1", json, body: Data(body.utf8)).status == status)
      }
      let foreign = json.merging(["Origin": "http://elsewhere.example"]) { $1 }
      #expect(try await web.ask("DELETE", "/albums/1", foreign).status == 403)
      #expect(try await web.get("/albums/1").status == 200)
    }
  }

  @Test func `a page and a list change with the album, and not otherwise`() async throws {
    try await withPosts { web, ben in
      _ = try await web.post("/albums", json: #"{"title":"Lake","posts":[1,2]}"#, ben)
      for fields in [[:], Self.page, ben, ben.merging(Self.page) { $1 }] {
        for path in ["/albums", "/albums/1", "/photos/1"] {
          let before = try await web.get(path, fields)
          #expect(before.status == 200 && before.field("Cache-Control") == "private, no-cache")
          let known = fields.merging(["If-None-Match": before.field("ETag") ?? ""]) { $1 }
          #expect(try await web.get(path, known).status == 304)
          let json = ben.merging(["Content-Type": "application/json"]) { $1 }
          let title = UUID().uuidString
          _ = try await web.ask("PATCH", "/albums/1", json, body: Data(#"{"title":"\#(title)"}"#.utf8))
          let after = try await web.get(path, known)
          #expect(after.status == 200 && after.text.contains(title), "\(path)")
        }
      }
    }
  }

  @Test func `the pages escape titles, and show editors more`() async throws {
    try await withPosts { web, ben in
      _ = try await web.post("/albums", json: #"{"title":"<b>\"Rex\" & co</b>","posts":[1,2]}"#, ben)
      let list = try await web.get("/albums", Self.page)
      let album = try await web.get("/albums/1", Self.page)
      let photo = try await web.get("/photos/1", Self.page)
      for page in [list, album, photo] {
        #expect(
          page.text.contains("&lt;b&gt;&quot;Rex&quot; &amp; co&lt;/b&gt;") && !page.text.contains("<b>"))
        #expect(page.field("Content-Security-Policy")?.contains("script-src 'self'") == true)
      }
      #expect(list.text.contains("/posts/2/thumbnail") && list.text.contains("2 photos"))
      #expect(!list.text.contains("<button class=\"button\" type=\"button\" data-new-album>"))
      #expect(album.text.contains("data-post=\"1\"") && !album.text.contains("data-post=\"3\""))
      #expect(!album.text.contains("data-delete-album>"))
      #expect(photo.text.contains("<a href=\"/albums/1\">"))
      let fields = ben.merging(Self.page) { $1 }
      #expect(try await web.get("/albums/1", fields).text.contains("data-delete-album>"))
      #expect(try await web.get("/albums", fields).text.contains("data-new-album>"))
      #expect(try await web.get("/photos/3", Self.page).text.contains("/albums/1") == false)
      #expect(try await web.get("/albums/9", Self.page).text.contains("The album does not exist."))
    }
  }

  @Test func `a viewer who owns an album is not offered to make a link`() async throws {
    try await withPosts { web, ben in
      _ = try await web.post("/albums", json: #"{"title":"Lake","posts":[1]}"#, ben)
      let fields = ben.merging(Self.page) { $1 }
      #expect(try await web.get("/albums/1", fields).text.contains(#"data-share="/albums/1""#))
      try await web.store.accounts.setRole(.viewer, of: 2)
      let page = try await web.get("/albums/1", fields).text
      #expect(!page.contains(#"data-share="/albums/1""#) && page.contains("data-edit-album>"))
      #expect(try await web.post("/albums/1/links", json: "{}", ben).status == 403)
    }
  }

  @Test func `an event names the album and no post`() {
    let event = KennelEvent(id: 7, post: 0, kind: .albumChanged(album: 1), date: .now)
    let line = String(decoding: EventEncoder.data(event, .lines), as: UTF8.self)
    #expect(line.contains(#""kind":"album-changed","album":1,"#) && !line.contains("post"))
  }
}
