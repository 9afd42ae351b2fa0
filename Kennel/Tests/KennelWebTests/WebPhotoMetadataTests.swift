import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

/// The metadata of photos over HTTP.
@Suite(.timeLimit(.minutes(5))) struct WebPhotoMetadataTests {
  private func withTwo(
    _ body: (SiteFixture, _ ada: [String: String], _ ben: [String: String]) async throws -> Void
  )
    async throws
  {
    try await withSite { web in
      _ = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben", role: .owner)
      try await body(web, try await web.cookie("Ada"), try await web.cookie("Ben"))
    }
  }

  private func upload(
    _ data: Data, _ web: SiteFixture, _ cookie: [String: String], query: String = ""
  ) async throws -> SiteFixture.Answer {
    try await web.ask(
      "POST", "/posts\(query)", cookie.merging(["Content-Type": "image/jpeg"]) { $1 }, body: data)
  }

  @Test func `nothing that others get has the metadata, and the author gets the file as it was uploaded`()
    async throws
  {
    try await withTwo { web, ada, ben in
      let original = try CameraPhoto.jpeg(1)
      let posted = try await upload(original, web, ada)
      #expect(posted.status == 201)
      let hash = try #require(try posted.json["photo"]?["hash"]?.string)
      for fields in [[:], ada, ben] {
        let photo = try await web.get("/posts/1/photo", fields)
        #expect(photo.status == 200 && !CameraPhoto.isLeaking(photo.data))
        #expect(photo.field("ETag") == "\"\(hash)\"")
        #expect(try posted.json["photo"]?["bytes"]?.number == photo.data.count)
        for path in [
          "/posts/1/thumbnail?size=480", "/posts", "/posts/1", "/", "/photos/1", "/collage",
          "/timeline/current", "/peer/posts",
        ] {
          let answer = try await web.get(path, fields)
          #expect(answer.status == 200 && !CameraPhoto.isLeaking(answer.data), "\(path)")
        }
      }
      let mine = try await web.get("/posts/1/uploaded", ada)
      #expect(mine.status == 200 && mine.data == original)
      #expect(mine.field("Cache-Control") == "private, no-cache")
      #expect(mine.field("Content-Disposition") == "attachment; filename=\"photo-1.jpg\"")
      let part = try await web.get("/posts/1/uploaded", ada.merging(["Range": "bytes=10-19"]) { $1 })
      #expect(part.status == 206 && part.data == original[10..<20])
      #expect(try await web.get("/posts/1/uploaded", ben).status == 403)
      #expect(try await web.get("/posts/1/uploaded").status == 401)
      #expect(try await web.get("/posts/9/uploaded", ada).status == 404)
      #expect(try await eventually { try web.store.incomingFiles().isEmpty })
    }
  }

  @Test func `the author shares the place, at the upload or later`() async throws {
    try await withTwo { web, ada, ben in
      let original = try CameraPhoto.jpeg(1)
      _ = try await upload(original, web, ada)
      let before = try await web.get("/posts/1/photo")
      #expect(try await web.ask("PUT", "/posts/1/place", ben).status == 403)
      let shared = try await web.ask("PUT", "/posts/1/place", ada)
      #expect(try shared.json["place"]?.string == "shared")
      #expect(
        try await web.get("/posts/1/photo", ["If-None-Match": before.field("ETag") ?? ""]).data == original)
      #expect(try await web.get("/posts/1/thumbnail?size=240").status == 200)
      #expect(try await web.get("/posts/1/uploaded", ada).data == original)
      let hidden = try await web.ask("DELETE", "/posts/1/place", ada)
      #expect(try hidden.json["place"]?.string == "private")
      #expect(try await web.get("/posts/1/photo").data == before.data)
      _ = try await upload(CameraPhoto.jpeg(2), web, ada, query: "?place=shared")
      #expect(CameraPhoto.isLeaking(try await web.get("/posts/2/photo").data))
      #expect(try await upload(original, web, ada, query: "?place=here").status == 422)
      _ = try await upload(SiteFixture.jpeg(3), web, ada, query: "?place=shared")
      #expect(try await web.ask("DELETE", "/posts/3/place", ada).json["place"]?.string == "none")
    }
  }

  @Test(arguments: ["shared", "private", nil] as [String?])
  func `a form says whether the place is shared`(place: String?) async throws {
    try await withTwo { web, ada, _ in
      let part = place.map { "--x\r\nContent-Disposition: form-data; name=\"place\"\r\n\r\n\($0)\r\n" } ?? ""
      let head = part + "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n"
      let body = Data(head.utf8) + (try CameraPhoto.jpeg(1)) + Data("\r\n--x--\r\n".utf8)
      let fields = ada.merging(["Content-Type": "multipart/form-data; boundary=x"]) { $1 }
      #expect(try await web.ask("POST", "/posts", fields, body: body).status == 201)
      #expect(CameraPhoto.isLeaking(try await web.get("/posts/1/photo").data) == (place == "shared"))
    }
  }

  @Test func `a photo of an earlier version is examined before others get it`() async throws {
    try await withTwo { web, ada, _ in
      let user = try #require(try await web.store.accounts.user(named: "Ada"))
      let original = try CameraPhoto.jpeg(1)
      for _ in 0..<2 {
        let file = try await web.store.photos.stage(original)
        let facts = try await PhotoInspector.facts(ofFileAt: file.path)
        _ = try await web.store.posts.add(file, facts: facts, caption: "", author: user.id)
      }
      try await web.store.database.write { transaction throws(KennelError) -> Void in
        try transaction.connection.run("UPDATE posts SET metadata = NULL")
      }
      #expect(!CameraPhoto.isLeaking(try await web.get("/posts/1/photo").data))
      // What a peer is offered is what it gets.
      let offer = try await web.get("/peer/posts").json["posts"]?[1]?["photo"]?["hash"]?.string
      #expect(try await web.get("/posts/2/photo").field("ETag") == offer.map { "\"\($0)\"" })
      #expect(!CameraPhoto.isLeaking(try await web.get("/posts/2/photo").data))
      #expect(try await web.get("/posts/2/uploaded", ada).data == original)
    }
  }

  @Test func `a thumbnail of a photo that another process has changed is made from its new form`()
    async throws
  {
    try await withTwo { web, ada, _ in
      _ = try await upload(CameraPhoto.jpeg(1), web, ada)
      #expect(try await web.get("/posts/1/thumbnail?size=96").status == 200)
      // Another process on the same directory. The site does not know of its change yet.
      let other = try await openStore(web.store.directory)
      let user = try #require(try await other.accounts.user(named: "Ada"))
      try await other.posts.setSharesMetadata(true, of: 1, by: user.id)
      #expect(try await eventually { try !TestWorld.hasFiles || web.store.photoFiles().count == 1 })
      #expect(try await web.get("/posts/1/thumbnail?size=160").status == 200)
      await other.close()
    }
  }

  @Test func `the page of a photo shows the choice to its author only`() async throws {
    try await withTwo { web, ada, ben in
      _ = try await upload(CameraPhoto.jpeg(1), web, ada)
      _ = try await upload(SiteFixture.jpeg(2), web, ada)
      let mine = try await web.get("/photos/1", ada).text
      #expect(mine.contains("data-set-place=\"shared\"") && mine.contains("href=\"/posts/1/uploaded\""))
      #expect(try await !web.get("/photos/1", ben).text.contains("data-set-place"))
      #expect(try await !web.get("/photos/1").text.contains("data-set-place"))
      #expect(try await !web.get("/photos/2", ada).text.contains("data-set-place"))
      _ = try await web.ask("PUT", "/posts/1/place", ada)
      #expect(try await web.get("/photos/1", ada).text.contains("data-set-place=\"private\""))
    }
  }
}
