import Foundation
import KennelModel
import KennelStorage
import KennelTestSupport
import TestSupport
import Testing

/// What a kennel does with its photos, wherever they are.
@Suite(.timeLimit(.minutes(5))) struct PhotoContractTests {
  @Test(arguments: PhotoPlace.available)
  func `a photo that was posted can be read completely, in part and from a file`(_ place: PhotoPlace)
    async throws
  {
    try await place.withKennel { store in
      let post = try await store.addPost(1, by: try await store.addUser())
      let photo = KennelStore.photo(1)
      let body = try await store.blobs.body(of: post.photo, byteCount: post.byteCount)
      #expect(try await body.bytes(0..<Int64(photo.count)) == photo)
      #expect(try await body.bytes(2..<5) == photo[2..<5])
      let file = try await store.blobs.file(post.photo, byteCount: post.byteCount)
      #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == photo)
      #expect(try await store.posts.hasPhoto(post.photo))
    }
  }

  @Test(arguments: PhotoPlace.available)
  func `the photo of a deleted post is removed, and can be posted again`(_ place: PhotoPlace) async throws {
    let clock = ManualKennelClock()
    try await place.withKennel(clock: clock) { store in
      let user = try await store.addUser()
      let (first, second) = (try await store.addPost(1, by: user), try await store.addPost(2, by: user))
      let photos = [first, second].map { StoredPhoto($0.photo, byteCount: $0.byteCount) }
        .sorted { $0.hash.description < $1.hash.description }
      #expect(try await store.blobs.missing(among: photos) == [])
      try await store.posts.delete(first.id, by: user.id)
      // A photo that is used again meanwhile stays.
      try await store.posts.delete(second.id, by: user.id)
      try await store.addPost(2, by: user)
      clock.advance(by: .seconds(7200))
      try await store.sweepPhotos()
      // The directory removes its files after the commit.
      try await store.uploads.sweep()
      #expect(try await store.blobs.missing(among: photos).map(\.hash) == [first.photo])
      let again = try await store.addPost(1, by: user)
      #expect(again.photo == first.photo)
      #expect(try await store.blobs.missing(among: photos) == [])
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test(arguments: PhotoPlace.available)
  func `the author gets the file as it was uploaded, and others one without the place`(_ place: PhotoPlace)
    async throws
  {
    try await place.withKennel { store in
      let user = try await store.addUser()
      let original = try CameraPhoto.jpeg(1, width: 400, height: 300)
      let file = try await store.photos.stage(original)
      let photo = try await NewPhoto.examining(file, in: store.photos)
      let post = try await store.posts.add(photo, caption: "", author: user.id)
      let shown = try await store.blobs.file(post.photo, byteCount: post.byteCount)
      #expect(!CameraPhoto.isLeaking(try Data(contentsOf: URL(fileURLWithPath: shown.path))))
      let uploaded = try await store.posts.uploadedFile(of: post.id, for: user.id)
      #expect(try Data(contentsOf: URL(fileURLWithPath: uploaded.path)) == original)
      #expect(try await store.check(readsPhotos: true).problems == [])
      let changed = try await store.posts.setSharesMetadata(true, of: post.id, by: user.id)
      let body = try await store.blobs.body(of: changed.photo, byteCount: changed.byteCount)
      #expect(try await body.bytes(0..<Int64(original.count)) == original)
    }
  }

  @Test(arguments: PhotoPlace.available)
  func `a backup contains all photos`(_ place: PhotoPlace) async throws {
    let output = try TemporaryDirectory()
    try await place.withKennel { store in
      let user = try await store.addUser()
      for number in 1...3 { try await store.addPost(number, by: user) }
      let report = try await store.backUp(to: .path(output.path("kennel.tar")))
      #expect(report.photos == 3 && report.missing.isEmpty)
    }
    let report = try await KennelStore.restore(from: output.path("kennel.tar"), to: output.path("restored"))
    #expect(report.photos == 3)
  }

  @Test(arguments: PhotoPlace.available)
  func `pages get photos, ranges of them, thumbnails and archives`(_ place: PhotoPlace) async throws {
    let directory = try TemporaryDirectory()
    let configure = try await place.configuration(directory)
    try await withSite(in: directory, store: configure) { web in
      let user = try await web.store.addUser()
      let post = try await web.addPicture(1, by: user, width: 640, height: 480)
      let photo = try SiteFixture.jpeg(1, width: 640, height: 480)
      for _ in 0..<2 {
        let complete = try await web.get("/posts/\(post.id)/photo")
        #expect(complete.status == 200 && complete.data == photo)
        let part = try await web.get("/posts/\(post.id)/photo", ["Range": "bytes=10-19"])
        #expect(part.status == 206 && part.data == photo[10..<20])
        #expect(part.field("Content-Range") == "bytes 10-19/\(photo.count)")
        let known = try await web.get(
          "/posts/\(post.id)/photo", ["If-None-Match": complete.field("ETag") ?? ""])
        #expect(known.status == 304)
        let head = try await web.ask("HEAD", "/posts/\(post.id)/photo")
        #expect(head.status == 200 && head.data.isEmpty && head.field("Content-Length") == "\(photo.count)")
        // The second time, a store is asked for the bytes.
        try? FileManager.default.removeItem(atPath: directory.path("data/photo-cache/\(post.photo)"))
      }
      #expect(try await web.get("/posts/\(post.id)/thumbnail").status == 200)
      let album = try await web.store.albums.make(title: "Dogs", posts: [post.id], by: user.id)
      let archive = try await web.get("/albums/\(album.id)/zip")
      #expect(archive.status == 200 && archive.data.range(of: photo) != nil)
    }
  }

  /// The photo has no metadata, so the file that is posted is the one that the upload has locked.
  @Test(arguments: PhotoPlace.available)
  func `a photo that is sent in parts is posted, and read without waiting`(_ place: PhotoPlace) async throws {
    let directory = try TemporaryDirectory()
    let configure = try await place.configuration(directory)
    try await withSite(in: directory, store: configure) { web in
      _ = try await web.store.addUser("Ada")
      let client = TusClient(web, try await web.cookie())
      let photo = try SiteFixture.jpeg(1)
      let address = try #require(try await client.begin(photo.count).field("Location"))
      #expect(try await client.append(address, at: 0, photo.prefix(100)).offset == 100)
      let number = try #require(try await client.append(address, at: 100, photo.dropFirst(100)).post)
      #expect(try await web.get("/posts/\(number)/photo").data == photo)
      #expect(try await web.get("/posts/\(number)/thumbnail").status == 200)
      let post = try await web.store.posts.post(Post.ID(number))
      let file = try await web.store.blobs.file(post.photo, byteCount: post.byteCount)
      #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == photo)
      #expect(try web.store.incomingFiles() == [])
    }
  }
}
