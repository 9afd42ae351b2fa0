import Foundation
import KennelTestSupport
import Retriever
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct ThumbnailTests {
  @Test(arguments: [
    (nil, "jpeg"), ("image/webp", "webp"), ("image/avif,image/webp,*/*;q=0.8", "webp"),
    ("image/jpeg, image/webp;q=0.5", "jpeg"), ("image/webp;q=0, */*", "jpeg"), ("image/*", "jpeg"),
    ("text/html", "jpeg"), ("IMAGE/WEBP", "webp"), ("image/webp;q=0.5, image/*;q=0.5", "webp"),
    ("image/webp;q=abc", "jpeg"), (",;,;q=,", "jpeg"),
  ]) func `the thumbnail has the client's preferred format`(accept: String?, format: String) async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      let answer = try await web.get("/posts/1/thumbnail", accept.map { ["Accept": $0] } ?? [:])
      #expect(answer.status == 200)
      #expect(answer.field("Content-Type") == "image/\(format)")
      #expect(answer.field("Vary") == "Accept")
      #expect(answer.field("Cache-Control") == "public, max-age=31536000, immutable")
      #expect(UIImage(data: answer.data)?.format?.rawValue == format)
      #expect(UIImage(data: answer.data)?.size.width == 320)
    }
  }

  @Test func `the longer side of a thumbnail has at most the requested size`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 300, height: 600)
      for size in ThumbnailSize.all {
        let answer = try await web.get("/posts/1/thumbnail?size=\(size.pixels)&format=webp")
        let image = try #require(UIImage(data: answer.data))
        #expect(Int(image.size.height) == min(size.pixels, 600))
        #expect(Int(image.size.width) == min(size.pixels / 2, 300))
        #expect(answer.field("Content-Type") == "image/webp")
        #expect(answer.field("Vary") == nil)
      }
      for wrong in ["100", "0", "-96", "96.0", "1e2", "99999999999999999999"] {
        let answer = try await web.get("/posts/1/thumbnail?size=\(wrong)")
        #expect(answer.status == 400)
        #expect(try answer.json["detail"]?.string?.contains("96, 160, 240") == true)
      }
      #expect(try await web.get("/posts/1/thumbnail?format=png").status == 400)
    }
  }

  @Test func `concurrent requests make a thumbnail once`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 1600, height: 1200)
      let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<50 {
          group.addTask { try await web.get("/posts/1/thumbnail?size=480").data.count }
        }
        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(sizes.count == 1)
      #expect(web.site.thumbnails.counts.made == 1)
    }
  }

  @Test func `a thumbnail survives a restart`() async throws {
    let directory = try TemporaryDirectory()
    let first = try await withSite(in: directory) { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      return try await web.get("/posts/1/thumbnail").data
    }
    try await withSite(in: directory) { web in
      let again = try await web.get("/posts/1/thumbnail").data
      #expect(again == first)
      #expect(web.site.thumbnails.counts == ThumbnailStore.Counts(fromMemory: 0, fromDisk: 1, made: 0))
      let third = try await web.get("/posts/1/thumbnail").data
      #expect(third == first)
      #expect(web.site.thumbnails.counts.fromMemory == 1)
      #expect(web.site.thumbnails.usage.files == 1)
      #expect(web.site.thumbnails.usage.bytes == first.count)
    }
  }

  @Test func `a truncated thumbnail file is made again`() async throws {
    let directory = try TemporaryDirectory()
    let first = try await withSite(in: directory) { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      _ = try await web.get("/posts/1/thumbnail?format=webp")
      return try await web.get("/posts/1/thumbnail?format=jpeg").data
    }
    let folder = directory.path("data/thumbnails")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let handle = try #require(FileHandle(forWritingAtPath: "\(folder)/\(name)"))
      try handle.truncate(atOffset: 100)
      try handle.close()
    }
    try await withSite(in: directory) { web in
      let again = try await web.get("/posts/1/thumbnail?format=jpeg").data
      #expect(again == first)
      #expect(try await web.get("/posts/1/thumbnail?format=webp").status == 200)
      #expect(web.site.thumbnails.counts.made == 2)
    }
  }

  @Test func `a range of a thumbnail whose file was removed is still sent`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await addNoise(to: web.store, by: ada)
      let path = "/posts/1/thumbnail?size=960&format=jpeg"
      let complete = try await web.get(path)
      #expect(complete.data.count > Thumbnail.maximumInMemorySize)
      let folder = web.directory.path("data/thumbnails")
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
      let part = try await web.get(path, ["Range": "bytes=0-9"])
      #expect(part.status == 206)
      #expect(part.data == complete.data.prefix(10))
      let tag = try #require(complete.field("ETag"))
      #expect(try await web.get(path, ["If-None-Match": tag]).status == 304)
    }
  }

  @Test func `closing does not wait for thumbnails that have not begun`() async throws {
    let directory = try TemporaryDirectory()
    let cancelled = try await withStore(in: directory) { store in
      let ada = try await store.addUser("Ada")
      // There are enough thumbnails that not all of them are made before the test sees that work has begun.
      var posts: [Post] = []
      for number in 0..<4 { posts.append(try await addNoise(to: store, by: ada, number)) }
      let thumbnails = try ThumbnailStore(
        directory: directory.path("thumbnails"), store: store, maximumDiskSize: 1 << 20,
        maximumMemorySize: 1 << 20)
      return await withTaskGroup(of: KennelError.Code?.self) { group in
        for post in posts {
          for key in ThumbnailKey.all(of: post.photo) {
            group.addTask {
              await code { _ = try await thumbnails.thumbnail(key, byteCount: post.byteCount) }
            }
          }
        }
        #expect(await eventually { thumbnails.inProgressCount >= 10 })
        await thumbnails.close()
        return await group.reduce(into: 0) { if $1 == .cancelled { $0 += 1 } }
      }
    }
    #expect(cancelled > 0)
  }

  private static let noise = Result { try SiteFixture.noise(width: 1200, height: 900) }

  /// - Parameter number: makes the photo a different file with the same pixels.
  @discardableResult private func addNoise(
    to store: KennelStore, by user: User, _ number: Int = 0
  ) async throws -> Post {
    let photo = try await store.photos.stage(try Self.noise.get() + Data("\(number)".utf8))
    let facts = try await PhotoInspector.facts(ofFileAt: photo.path)
    return try await store.posts.add(photo, facts: facts, caption: "", author: user.id)
  }

  @Test func `the thumbnails on the disk stay within their maximum size`() async throws {
    try await withSite { configuration in
      configuration.thumbnailCacheSize = 20_000
      configuration.thumbnailMemorySize = 0
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...20 {
        try await web.addPicture(number, by: ada, width: 400, height: 300)
        #expect(try await web.get("/posts/\(number)/thumbnail").status == 200)
      }
      let usage = web.site.thumbnails.usage
      #expect(usage.bytes <= 20_000)
      #expect(usage.files >= 1 && usage.files < 20)
      let names = try FileManager.default.contentsOfDirectory(atPath: web.directory.path("data/thumbnails"))
      #expect(names.count == usage.files)
      // The most recently used thumbnails are still there.
      let made = web.site.thumbnails.counts.made
      _ = try await web.get("/posts/20/thumbnail")
      #expect(web.site.thumbnails.counts.made == made)
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
      #expect(web.site.thumbnails.counts.made == made + 1)
    }
  }

  @Test func `a thumbnail that cannot be stored is still sent`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      try FileManager.default.removeItem(atPath: web.directory.path("data/thumbnails"))
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
    }
  }

  @Test func `a deleted post has no thumbnail`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
      #expect(try await web.ask("DELETE", "/posts/1", SiteFixture.basic("Ada")).status == 204)
      #expect(try await web.get("/posts/1/thumbnail").status == 404)
      #expect(try await web.get("/posts/1/photo").status == 404)
      let folder = web.directory.path("data/thumbnails")
      #expect(
        try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty })
    }
  }

  @Test func `a post deleted by another process soon has no thumbnail`() async throws {
    let directory = try TemporaryDirectory()
    // The clock stands still, so no entry expires.
    try await withSite(in: directory, clock: ManualKennelClock().clock) {
      _ in
    } store: {
      $0.pollInterval = .milliseconds(5)
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
      try await withStore(in: directory) { try await $0.posts.delete(1, by: ada.id) }
      #expect(await eventually { (try? await web.get("/posts/1/thumbnail").status) == 404 })
      let folder = web.directory.path("data/thumbnails")
      #expect(
        try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty })
    }
  }

  @Test func `a post in the bin of another process has no thumbnail before the next poll`() async throws {
    let directory = try TemporaryDirectory()
    try await withSite(in: directory, clock: ManualKennelClock().clock) {
      _ in
    } store: {
      $0.pollInterval = .seconds(3600)
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
      try await withStore(in: directory) { try await $0.posts.moveToBin(1, by: ada.id) }
      // With PostgreSQL, the message about the change may still be on its way.
      #expect(await eventually { (try? await web.get("/posts/1/thumbnail").status) == 404 })
    }
  }

  @Test func `thumbnails not requested since the start are removed with their post`() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path("data/thumbnails")
    let (ada, other) = try await withSite(in: directory) { web in
      let ada = try await web.store.addUser("Ada")
      try await web.addPicture(1, by: ada, width: 400, height: 300)
      try await web.addPicture(2, by: ada, width: 400, height: 300)
      for path in ["1/thumbnail", "1/thumbnail?size=96&format=webp", "2/thumbnail"] {
        #expect(try await web.get("/posts/\(path)").status == 200)
      }
      return (ada, try await web.store.posts.post(2).photo.description)
    }
    try await withSite(in: directory) {
      _ in
    } store: {
      $0.pollInterval = .milliseconds(5)
    } _: { web in
      #expect(await eventually { web.site.thumbnails.usage.files == 3 })
      try await withStore(in: directory) { try await $0.posts.delete(1, by: ada.id) }
      #expect(
        try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder).count == 1 })
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder)[0].hasPrefix(other))
      #expect(await eventually { web.site.thumbnails.usage.files == 1 })
    }
  }

  /// Returns the names of the photos that have thumbnails in a folder.
  private func photos(in folder: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder).map { String($0.prefix(64)) })
  }

  @Test func `thumbnails of posts that disappeared before the start are removed`() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path("data/thumbnails")
    let (ada, kept) = try await withSite(in: directory) { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...3 {
        try await web.addPicture(number, by: ada, width: 400, height: 300)
        #expect(try await web.get("/posts/\(number)/thumbnail").status == 200)
      }
      return (ada, try await web.store.posts.post(3).photo.description)
    }
    try await withStore(in: directory) { store in
      try await store.posts.delete(1, by: ada.id)
      try await store.posts.moveToBin(2, by: ada.id)
    }
    #expect(try photos(in: folder).count == 3)
    try await withSite(in: directory) { web in
      let isCleared = try await eventually { () async throws in try photos(in: folder) == [kept] }
      #expect(isCleared)
      #expect(await eventually { web.site.thumbnails.usage.files == 1 })
    }
  }

  @Test func `thumbnails of posts whose deletion was lost in the log are removed`() async throws {
    let directory = try TemporaryDirectory()
    try await withSite(in: directory) {
      _ in
    } store: {
      $0.eventLogCapacity = 2
      $0.pollInterval = .seconds(3600)
    } _: { web in
      let ada = try await web.store.addUser("Ada")
      for number in 1...2 {
        try await web.addPicture(number, by: ada, width: 400, height: 300)
        #expect(try await web.get("/posts/\(number)/thumbnail").status == 200)
      }
      let gone = try await web.store.posts.post(1).photo
      let kept = try await web.store.posts.post(2).photo
      try await withStore(in: directory, { $0.eventLogCapacity = 2 }) { other in
        try await other.posts.delete(1, by: ada.id)
        for isFavourite in [true, false, true] {
          try await other.posts.setFavourite(isFavourite, post: 2, user: ada.id)
        }
      }
      // The next change here publishes what is left of the events.
      _ = try await web.store.posts.addComment("Hm", to: 2, author: ada.id)
      let folder = web.directory.path("data/thumbnails")
      #expect(try await eventually { try photos(in: folder) == [kept.description] })
      let key = ThumbnailKey(photo: gone, size: .default, format: .jpeg)
      #expect(web.site.thumbnails.ready(key) == nil)
      #expect(web.site.thumbnails.photoCache.photo(of: 1) == nil)
    }
  }

  @Test func `a thumbnail made while its post is deleted leaves no file`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let post = try await web.addPicture(1, by: ada, width: 400, height: 300)
      // As during a backup, the photo can still be decoded for a while.
      let held = try web.store.photos.holdRemovals()
      #expect(try await web.ask("DELETE", "/posts/1", SiteFixture.basic("Ada")).status == 204)
      // The request arrives before the deletion, but the work begins after it.
      let key = ThumbnailKey(photo: post.photo, size: .default, format: .jpeg)
      #expect(try await web.site.thumbnails.thumbnail(key, byteCount: post.byteCount).byteCount > 0)
      withExtendedLifetime(held) {}
      let folder = web.directory.path("data/thumbnails")
      #expect(
        try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty })
      #expect(await eventually { web.site.thumbnails.usage == (0, 0) })
      #expect(web.site.thumbnails.ready(key) == nil)
    }
  }

  @Test func `conditional and range requests are supported`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let noise = try await web.store.photos.stage(try SiteFixture.noise(width: 640, height: 480))
      let facts = try await PhotoInspector.facts(ofFileAt: noise.path)
      _ = try await web.store.posts.add(noise, facts: facts, caption: "", author: ada.id)
      // A small thumbnail that is in memory, and a large one that the kernel sends.
      for size in [96, 640] {
        let path = "/posts/1/thumbnail?size=\(size)"
        let complete = try await web.get(path)
        #expect(complete.status == 200)
        #expect((complete.data.count > Thumbnail.maximumInMemorySize) == (size == 640))
        let again = try await web.get(path)
        #expect(again.data == complete.data)
        let tag = try #require(complete.field("ETag"))
        #expect(try await web.get(path, ["If-None-Match": tag]).status == 304)
        let part = try await web.get(path, ["Range": "bytes=10-19"])
        #expect(part.status == 206)
        #expect(part.data == complete.data[10..<20])
        let none = try await web.get(path, ["Range": "bytes=9999999-"])
        #expect(none.status == 416)
        #expect(none.field("Content-Range") == "bytes */\(complete.data.count)")
        #expect(none.field("Content-Type") == "application/problem+json")
        #expect(try await web.get(path, ["If-Match": "\"other\""]).status == 412)
      }
    }
  }

  @Test func aTransparentPictureHasAThumbnailInBothFormats() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let pixels = (0..<100 * 50).map {
        ImagePixels.Pixel(red: 200, green: 0, blue: 0, alpha: UInt8($0 % 256))
      }
      let png = try #require(UIImage(width: 100, height: 50, pixels: pixels)?.pngData())
      let photo = try await web.store.photos.stage(png)
      let facts = try await PhotoInspector.facts(ofFileAt: photo.path)
      _ = try await web.store.posts.add(photo, facts: facts, caption: "", author: ada.id)
      #expect(try await web.get("/posts/1/thumbnail?format=jpeg").status == 200)
      #expect(try await web.get("/posts/1/thumbnail?format=webp").status == 200)
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a missing photo file is an internal error`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let post = try await web.addPicture(1, by: ada)
      try FileManager.default.removeItem(
        atPath: web.store.photos.location(post.photo))
      for path in ["/posts/1/thumbnail", "/posts/1/photo"] {
        let answer = try await web.get(path)
        #expect(answer.status == 500)
        // The response contains no path of the server.
        #expect(!answer.text.contains("data/"))
      }
    }
  }

  @Test func `thumbnail file names are parsed back to keys`() {
    let hash = PhotoHash(bytes: Array(0..<32))
    for key in hash.map(ThumbnailKey.all) ?? [] { #expect(ThumbnailKey(fileName: key.fileName) == key) }
    let name = "\(String(repeating: "0", count: 64))"
    for wrong in [
      "", "x", name, "\(name)-96", "\(name)-97.jpg", "\(name)-96.png", "../\(name)-96.jpg",
      "\(name)-96.jpg.part",
    ] {
      #expect(ThumbnailKey(fileName: wrong) == nil)
    }
  }
}
