import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebPhotoTests {
  @Test func theOriginalIsSentByteForByte() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let post = try await web.addPicture(1, by: ada, width: 300, height: 200)
      let answer = try await web.get("/posts/1/photo")
      #expect(answer.data == (try SiteFixture.jpeg(1, width: 300, height: 200)))
      #expect(answer.field("ETag") == "\"\(post.photo)\"")
      #expect(answer.field("Accept-Ranges") == "bytes")
      #expect(answer.field("Cache-Control") == "public, no-cache")
      let tag = "\"\(post.photo)\""
      #expect(try await web.get("/posts/1/photo", ["If-None-Match": tag]).status == 304)
      let middle = try await web.get("/posts/1/photo", ["Range": "bytes=100-199", "If-Range": tag])
      #expect(middle.status == 206)
      #expect(middle.data == answer.data[100..<200])
      #expect(middle.field("Content-Range") == "bytes 100-199/\(answer.data.count)")
      let end = try await web.get("/posts/1/photo", ["Range": "bytes=-5"])
      #expect(end.data == answer.data.suffix(5))
      let none = try await web.get("/posts/1/photo", ["Range": "bytes=99999999-"])
      #expect(none.status == 416)
      #expect(none.field("Content-Type") == "application/problem+json")
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a post deleted while its picture is opened is not found`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let post = try await web.addPicture(1, by: ada, width: 300, height: 200)
      #expect(try await web.get("/posts/1/thumbnail?size=96").status == 200)
      // The post is deleted without the site, as by another process, so the site still has it in its cache.
      try await web.store.posts.delete(post.id, by: ada.id)
      let path = web.store.photos.location(post.photo)
      #expect(await eventually { !FileManager.default.fileExists(atPath: path) })
      let thumbnail = try await web.get("/posts/1/thumbnail?size=640")
      #expect(thumbnail.status == 404)
      #expect(thumbnail.field("Content-Type") == "application/problem+json")
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a missing photo of an existing post is an internal error`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let post = try await web.addPicture(1, by: ada)
      let path = web.store.photos.location(post.photo)
      try FileManager.default.removeItem(atPath: path)
      #expect(try await web.get("/posts/1/photo").status == 500)
      #expect(try await web.get("/posts/1/thumbnail").status == 500)
      // The post is also deleted, between the lookup and opening the file.
      let code = await code {
        try await web.store.posts.reportingIfMissing(post.id) { () async throws(KennelError) in
          try await web.store.posts.delete(post.id, by: ada.id)
          throw KennelError(.cannotOpen, "The file does not exist.")
        }
      }
      #expect(code == .noSuchPost)
    }
  }

  @Test func `the inspector returns the properties of a photo`() async throws {
    try await withStore { store in
      let photo = try await store.photos.stage(try SiteFixture.jpeg(1, width: 64, height: 48))
      let facts = try await PhotoInspector.facts(ofFileAt: photo.path)
      #expect((facts.width, facts.height) == (64, 48))
      #expect(facts.format == .jpeg)
      #expect(5...25 ~= facts.thumbHash.count)
      #expect(await code { _ = try await PhotoInspector.facts(ofFileAt: "/nowhere") } == .cannotOpen)
    }
  }
}
