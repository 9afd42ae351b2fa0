import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PhotoDirectoryTests {
  @Test func aPhotoIsNamedByTheHashOfItsBytes() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let upload = try await store.photos.beginUpload()
      for piece in ["a", "", "b", "c"] { try await upload.append(Data(piece.utf8)) }
      let staged = try await upload.finish()
      let post = try await store.posts.add(staged, facts: .small, caption: "", author: ada.id)
      // The first example of FIPS 180-2.
      let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      #expect(post.photo.description == name)
      #expect(PhotoHash(name) == post.photo)
      #expect(post.byteCount == 3)
      let path = store.photos.location(post.photo)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("abc".utf8))
    }
  }

  @Test(arguments: [
    "", "ab", String(repeating: "A", count: 64), "../../etc/passwd",
    String(repeating: "é", count: 64),
  ])
  func `an invalid hash names no file`(text: String) {
    #expect(PhotoHash(text) == nil)
  }

  @Test func `a photo is stored once and kept while a post uses it`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let posts = [try await store.addPost(1, by: ada), try await store.addPost(1, by: ada)]
      #expect(try store.photoFiles() == [posts[0].photo.description])
      try await store.posts.delete(posts[0].id, by: ada.id)
      try await store.database.write { _ in }
      #expect(try store.photoFiles().count == 1)
      try await store.posts.delete(posts[1].id, by: ada.id)
      // The removal waits in the same queue.
      try await store.database.write { _ in }
      #expect(try store.photoFiles().isEmpty)
      #expect(try await store.check().problems == [])
    }
  }

  @Test func aPhotoStaysUntilTheDeletionOfItsPostIsCommitted() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      let path = store.photos.location(post.photo)
      try FileCalls.makeFile(store.photos.path + "/incoming/\(post.photo).placing")
      // A deletion and the cleanup after others may be committed together.
      let isThere = try await store.database.write { transaction throws(KennelError) in
        try store.posts.delete(post.id, by: ada.id, at: Date(), in: transaction)
        try store.changes.removePhotos(in: transaction)
        try store.changes.clearIncoming(in: transaction)
        return FileCalls.size(of: path) != nil
      }
      #expect(isThere)
      try await store.database.write { _ in }
      #expect(FileCalls.size(of: path) == nil)
      #expect(try await store.check().problems == [])
    }
  }

  @Test func `a photo posted while its last post is deleted is kept`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      var last = try await store.addPost(1, by: ada)
      for _ in 0..<100 {
        let previous = last.id
        async let deletion: Void = store.posts.delete(previous, by: ada.id)
        async let next = store.addPost(1, by: ada)
        try await deletion
        last = try await next
        #expect(FileCalls.size(of: store.photos.location(last.photo)) == last.byteCount)
      }
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test func `a photo that is too large or empty is refused and leaves no file`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.maximumPhotoSize = 10 }) { store in
      #expect(await code { _ = try await store.photos.stage(Data(count: 11)) } == .photoTooLarge)
      #expect(await code { _ = try await store.photos.stage(Data()) } == .badPhoto)
      let upload = try await store.photos.beginUpload()
      try await upload.append(Data(count: 10))
      #expect(await code { try await upload.append(Data([1])) } == .photoTooLarge)
      #expect(await code { try await upload.append(Data([1])) } == .failed)
    }
    // Closing waits for the removals.
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path("data/photos/incoming"))
        == [])
  }

  @Test func `files left by a killed process are removed at the next start`() async throws {
    let directory = try TemporaryDirectory()
    var hash = ""
    try await withStore(in: directory) { store in
      hash = try await store.addPost(1, by: store.addUser()).photo.description
    }
    let orphan = String(repeating: "0", count: 64)
    for name in [
      "incoming/x.part", "incoming/\(orphan).placing", orphan, "incoming/\(hash).placing",
    ] {
      try directory.write(Data([1]), to: "data/photos/\(name)")
    }
    try await withStore(in: directory) { store async throws in
      #expect(try store.incomingFiles() == [])
      #expect(try store.photoFiles() == [hash])
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test func `an upload of a running process is not removed as a left-over`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let upload = try await store.photos.beginUpload()
      try await upload.append(Data("abc".utf8))
      try await withStore(in: directory) { other async throws in
        #expect(try other.incomingFiles().count == 1)
      }
      let ada = try await store.addUser()
      _ = try await store.posts.add(
        try await upload.finish(), facts: .small, caption: "", author: ada.id)
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test func `a check finds missing, altered and unknown files`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      let missing = try await store.addPost(1, by: ada)
      let altered = try await store.addPost(2, by: ada)
      try await store.addPost(3, by: ada)
      let orphan = try #require(PhotoHash(String(repeating: "f", count: 64)))
      try FileManager.default.removeItem(atPath: store.photos.location(missing.photo))
      try directory.write(Data("PHOTO 2".utf8), to: "data/photos/\(altered.photo)")
      try directory.write(Data([1]), to: "data/photos/\(orphan)")
      try directory.write(Data([1]), to: "data/photos/notes.txt")
      let report = try await store.check(readsPhotos: true)
      #expect(report.photoCount == 3)
      #expect(
        Set(report.problems) == [
          .missing(missing.photo), .altered(altered.photo), .orphan(orphan), .unknownFile("notes.txt"),
        ])
      #expect(report.problems.allSatisfy { $0.description.hasSuffix(".") })

      // Posting the photo again restores it.
      try await store.addPost(1, by: ada)
      let second = try await store.check(repairs: true)
      #expect(second.problems == [.unknownFile("notes.txt")])
      #expect(second.removedCount == 1)
    }
  }
}
