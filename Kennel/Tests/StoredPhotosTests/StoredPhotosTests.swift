import Foundation
import KennelModel
import KennelStorage
import KennelTestSupport
import ObjectStorage
import TestSupport
import Testing

@testable import StoredPhotos

/// Photos in a store that checks signatures.
@Suite(.enabled(if: StoreServer.isAvailable), .timeLimit(.minutes(5))) struct StoredPhotosTests {
  private let server: StoreServer

  init() throws { server = try StoreServer.shared.get() }

  @Test func `a photo without a row, because the process was killed, is removed after a day`() async throws {
    let directory = try TemporaryDirectory()
    let objects = try await server.store(StoredBlobs.newBucket())
    let blobs = StoredBlobs.opening(objects, directory)
    let hash = try await withStore(in: directory, { $0.blobs = blobs }) { store in
      try await store.addPost(2, by: try await store.addUser())
      let photo = try await store.photos.stage(KennelStore.photo(1))
      let held = try await store.blobs.put(photo)
      // Nothing is removed between the put and the commit.
      #expect(try store.photos.beginRemovals() == nil)
      withExtendedLifetime(held) {}
      return photo.hash
    }
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let count = try await store.sweepOrphans()
      #expect(count == 0)
      #expect(try await objects.properties(of: hash.description) != nil)
      #expect(try await !store.posts.hasPhoto(hash))
      #expect(try await store.check().problems == [])
    }
    let later = StoredBlobs.opening(objects, directory, isLater: true)
    try await withStore(in: directory, { $0.blobs = later }) { store in
      let report = try await store.check()
      #expect(report.problems == [.orphan(hash)])
      #expect(try await store.sweepOrphans() == 1)
      #expect(try await objects.properties(of: hash.description) == nil)
      #expect(try await store.posts.page().count == 1)
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test func `a photo stays in the store for an hour after its last post was deleted`() async throws {
    let directory = try TemporaryDirectory()
    let clock = ManualKennelClock()
    let objects = try await server.store(StoredBlobs.newBucket())
    let blobs = StoredBlobs.opening(objects, directory)
    try await withStore(in: directory, clock: clock.clock, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let post = try await store.addPost(1, by: user)
      try await store.posts.delete(post.id, by: user.id)
      #expect(try await store.sweepPhotos() == 0)
      clock.advance(by: .seconds(3600))
      let held = try store.photos.holdRemovals()
      #expect(try await store.sweepPhotos() == 0)
      held.release()
      #expect(try await store.sweepPhotos() == 1)
      #expect(try await objects.properties(of: post.photo.description) == nil)
      #expect(FileCalls.size(of: directory.path("data/photo-cache/\(post.photo)")) == nil)
    }
  }

  @Test func `missing and altered objects are found, and an upload restores an object`() async throws {
    let directory = try TemporaryDirectory()
    let objects = try await server.store(StoredBlobs.newBucket(), "a/b")
    let blobs = StoredBlobs.opening(objects, directory)
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let (missing, altered) = (try await store.addPost(1, by: user), try await store.addPost(2, by: user))
      let cut = try await store.addPost(3, by: user)
      try await objects.delete(missing.photo.description)
      try await objects.put(Data("phono 2".utf8), as: altered.photo.description)
      try await objects.put(Data("photo".utf8), as: cut.photo.description)
      try await objects.put(Data([1]), as: "a letter")
      let problems = Set(try await store.check(readsPhotos: true).problems.map(String.init(describing:)))
      let expected: [StoreReport.Problem] = [
        .missing(missing.photo), .missing(cut.photo), .altered(altered.photo), .unknownFile("a letter"),
      ]
      #expect(problems == Set(expected.map(String.init(describing:))))
      let reading = await code {
        try FileCalls.remove(directory.path("data/photo-cache/\(missing.photo)"))
        _ = try await store.blobs.file(missing.photo, byteCount: missing.byteCount)
      }
      #expect(reading == .cannotOpen)
      try await store.addPost(1, by: user)
      try await store.addPost(3, by: user)
      #expect(try await store.check().problems.map(String.init(describing:)).count == 1)
    }
  }

  @Test func `a large file is stored in parts and read in ranges`() async throws {
    let directory = try TemporaryDirectory()
    let objects = try await server.store(StoredBlobs.newBucket())
    let blobs = StoredBlobs.opening(objects, directory) { $0.plan.partSize = 5 << 20 }
    let video = Data.pattern(count: 11 << 20)
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let staged = try await store.photos.stage(video)
      let post = try await store.posts.add(staged, facts: .small, caption: "", author: user.id)
      try FileCalls.remove(directory.path("data/photo-cache/\(post.photo)"))
      let body = try await store.blobs.body(of: post.photo, byteCount: video.count)
      #expect(try await body.bytes(7_000_000..<7_000_100) == video[7_000_000..<7_000_100])
      #expect(try await body.bytes(0..<Int64(video.count)) == video)
      let again = try await store.photos.stage(video)
      try await store.posts.add(again, facts: .small, caption: "", author: user.id)
    }
  }

  @Test func `a large file that changed on the disk is not stored`() async throws {
    let directory = try TemporaryDirectory()
    let objects = try await server.store(StoredBlobs.newBucket())
    let blobs = StoredBlobs.opening(objects, directory) { $0.plan.partSize = 5 << 20 }
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let staged = try await store.photos.stage(Data.pattern(count: 11 << 20))
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: staged.path))
      try file.seek(toOffset: 10 << 20)
      try file.write(contentsOf: Data("changed".utf8))
      try file.close()
      await #expect(throws: KennelError.self) {
        try await store.posts.add(staged, facts: .small, caption: "", author: user.id)
      }
      #expect(try await objects.properties(of: "\(staged.hash)") == nil)
    }
  }

  @Test func `the photos of a kennel are not looked for at another address`() async throws {
    let directory = try TemporaryDirectory()
    let bucket = StoredBlobs.newBucket()
    let objects = try await server.store(bucket)
    let credentials = server.credentials
    _ = try await StoredPhotosPlace.choose(
      try server.location(bucket), for: directory.path("data"), credentials: credentials)
    // The same server under another name is accepted, as it has the same photos.
    let elsewhere = try StoreLocation(
      "s3://\(bucket)/?endpoint=http://localhost:\(server.port)&region=us-east-1", environment: [:])
    func choose(_ location: StoreLocation) async -> KennelError.Code? {
      await code {
        _ = try await StoredPhotosPlace.choose(
          location, for: directory.path("data"), credentials: credentials)
      }
    }
    #expect(await choose(elsewhere) == nil)
    #expect(try StoredPhotosPlace.read(directory.path("data"))?.location == elsewhere)
    // Another kennel, or nothing, is at that address.
    try await objects.put(Data("another".utf8), as: StoredPhotosPlace.ownerKey)
    #expect(await choose(try server.location(bucket)) == .notAllowed)
    try await objects.delete(StoredPhotosPlace.ownerKey)
    #expect(await choose(try server.location(bucket)) == .notAllowed)
    #expect(try StoredPhotosPlace.read(directory.path("data"))?.location == elsewhere)
  }

  @Test func `a kennel has one store, and a store one kennel`() async throws {
    let directory = try TemporaryDirectory()
    let bucket = StoredBlobs.newBucket()
    _ = try await server.store(bucket)
    let location = try server.location(bucket, "one")
    let credentials = server.credentials
    #expect(try StoredPhotosPlace.read(directory.path("data")) == nil)
    _ = try await StoredPhotosPlace.choose(location, for: directory.path("data"), credentials: credentials)
    let place = try #require(try StoredPhotosPlace.read(directory.path("data")))
    #expect(place.location == location)
    _ = try await StoredPhotosPlace.choose(location, for: directory.path("data"), credentials: credentials)
    let text = try String(contentsOfFile: directory.path("data/photos.store"), encoding: .utf8)
    #expect(!text.contains(credentials.secretKey) && !text.contains(credentials.accessKey))
    let other = try server.location(bucket, "two")
    let moving = await code {
      _ = try await StoredPhotosPlace.choose(other, for: directory.path("data"), credentials: credentials)
    }
    #expect(moving == .notAllowed)
    let sharing = await code {
      _ = try await StoredPhotosPlace.choose(location, for: directory.path("other"), credentials: credentials)
    }
    #expect(sharing == .notAllowed)
    #expect(try StoredPhotosPlace.read(directory.path("other")) == nil)
    // The process was killed before it recorded its store.
    try FileCalls.rename(directory.path("data/photos.store"), to: directory.path("data/photos.store.new"))
    _ = try await StoredPhotosPlace.choose(location, for: directory.path("data"), credentials: credentials)
    #expect(try StoredPhotosPlace.read(directory.path("data")) != nil)
  }

  @Test func `a kennel with photos in its directory is refused`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      _ = try await store.addPost(1, by: try await store.addUser())
    }
    let bucket = StoredBlobs.newBucket()
    _ = try await server.store(bucket)
    let choosing = await code { [server] in
      _ = try await StoredPhotosPlace.choose(
        server.location(bucket), for: directory.path("data"), credentials: server.credentials)
    }
    #expect(choosing == .notAllowed)
  }
}
