import Foundation
import Glibc
import KennelTestSupport
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// What others get of the metadata of photos, and what stays with the author.
@Suite(.timeLimit(.minutes(5))) struct PhotoMetadataTests {
  private func post(
    _ data: Data, in store: KennelStore, by user: User, sharesMetadata: Bool = false
  ) async throws -> Post {
    let file = try await store.photos.stage(data)
    let photo = try await NewPhoto.examining(file, in: store.photos, sharesMetadata: sharesMetadata)
    return try await store.posts.add(photo, caption: "", author: user.id)
  }

  private func bytes(_ post: Post, in store: KennelStore) async throws -> Data {
    let file = try await store.blobs.file(post.photo, byteCount: post.byteCount)
    return try Data(contentsOf: URL(fileURLWithPath: file.path))
  }

  fileprivate func upload(_ post: Post, in store: KennelStore, for user: User) async throws -> Data {
    let file = try await store.posts.uploadedFile(of: post.id, for: user.id)
    return try withExtendedLifetime(file) { try Data(contentsOf: URL(fileURLWithPath: file.path)) }
  }

  private func expectClean(_ store: KennelStore, files: Int) async throws {
    #expect(try await eventually { try !TestWorld.hasFiles || store.photoFiles().count == files })
    #expect(try await eventually { try store.incomingFiles().isEmpty })
    #expect(try await store.checkedProblems() == [])
  }

  @Test(arguments: RecordsKind.available)
  func `others get a photo without its metadata, and the author gets it as it was uploaded`(
    _ kind: RecordsKind
  )
    async throws
  {
    try await withStore(kind) { store in
      let owner = try await store.addUser("Olga", role: .owner)
      let ada = try await store.addUser("Ada")
      let original = try CameraPhoto.jpeg(1)
      #expect(CameraPhoto.isLeaking(original))
      let post = try await post(original, in: store, by: ada)
      #expect(post.metadata == .removed)
      let shown = try await bytes(post, in: store)
      #expect(!CameraPhoto.isLeaking(shown))
      #expect(shown.count == post.byteCount)
      #expect(try ImageMetadata(data: shown).location == nil)
      // The photo is still upright.
      #expect(UIImage(data: shown)?.imageOrientation == .right)
      #expect((post.facts.width, post.facts.height) == (60, 80))
      #expect(try await upload(post, in: store, for: ada) == original)
      #expect(await code { _ = try await upload(post, in: store, for: owner) } == .notAllowed)
      try await expectClean(store, files: 2)
    }
  }

  @Test(arguments: RecordsKind.available) func `a photo without metadata is stored as it is`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada")
      let original = try SiteFixture.jpeg(1)
      let post = try await post(original, in: store, by: ada)
      #expect(post.metadata == .absent && post.upload == nil)
      #expect(try await bytes(post, in: store) == original)
      #expect(try await upload(post, in: store, for: ada) == original)
      try await store.posts.setSharesMetadata(true, of: post.id, by: ada.id)
      #expect(try await store.posts.post(post.id) == post)
      try await expectClean(store, files: 1)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a file that was uploaded before is recognized, and its files stay for the last post`(
    _ kind: RecordsKind
  )
    async throws
  {
    try await withStore(kind) { store in
      let (ada, ben) = (try await store.addUser("Ada"), try await store.addUser("Ben"))
      let original = try CameraPhoto.jpeg(1)
      let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(original))))
      #expect(try await !store.posts.hasPhoto(hash))
      let first = try await post(original, in: store, by: ada)
      #expect(try await store.posts.hasPhoto(hash))
      #expect(try await store.posts.hasPhoto(first.photo))
      let second = try await post(original, in: store, by: ben)
      #expect(second.photo == first.photo && second.upload == first.upload)
      try await store.posts.delete(first.id, by: ada.id)
      try await expectClean(store, files: 2)
      #expect(try await upload(second, in: store, for: ben) == original)
      try await store.posts.delete(second.id, by: ben.id)
      try await expectClean(store, files: 0)
      #expect(try await !store.posts.hasPhoto(hash))
    }
  }

  @Test(arguments: RecordsKind.available) func `the author shares the metadata and takes it back`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let owner = try await store.addUser("Olga", role: .owner)
      let ada = try await store.addUser("Ada")
      let original = try CameraPhoto.jpeg(1)
      let before = try await post(original, in: store, by: ada)
      #expect(
        await code { try await store.posts.setSharesMetadata(true, of: before.id, by: owner.id) }
          == .notAllowed)
      let version = try await store.versions.current()
      let shared = try await store.posts.setSharesMetadata(true, of: before.id, by: ada.id)
      #expect(shared.metadata == .shared && shared.upload == nil)
      #expect(try await bytes(shared, in: store) == original)
      #expect(try await store.versions.current() != version)
      try await expectClean(store, files: 1)
      let after = try await store.posts.setSharesMetadata(false, of: before.id, by: ada.id)
      #expect(after == before)
      #expect(try await upload(after, in: store, for: ada) == original)
      try await expectClean(store, files: 2)
      let other = try await post(CameraPhoto.jpeg(2), in: store, by: ada, sharesMetadata: true)
      #expect(other.metadata == .shared)
      #expect(try await CameraPhoto.isLeaking(bytes(other, in: store)))
    }
  }

  @Test(arguments: RecordsKind.available)
  func `of a file whose parts are not known, others get another picture`(_ kind: RecordsKind) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada")
      let original = try CameraPhoto.jpeg(1)
      let (post, facts) = try await postConverted(original, in: store, by: ada)
      let shown = try await bytes(post, in: store)
      #expect(!CameraPhoto.isLeaking(shown) && post.metadata == .removed)
      #expect((post.facts.width, post.facts.height) == (facts.width, facts.height))
      #expect(UIImage(data: shown)?.imageOrientation == .up)
      #expect(try await upload(post, in: store, for: ada) == original)
      let shared = try await store.posts.setSharesMetadata(true, of: post.id, by: ada.id)
      #expect(shared.facts == facts)
      #expect(try await bytes(shared, in: store) == original)
      try await expectClean(store, files: 1)
    }
  }

  private func postConverted(
    _ data: Data, in store: KennelStore, by user: User
  ) async throws -> (Post, PhotoFacts) {
    let file = try await store.photos.stage(data)
    let facts = try await PhotoInspector.facts(ofFileAt: file.path)
    let photo = try await PhotoExamination(
      file: BlobFile(path: file.path), hash: file.hash, facts: facts, photos: store.photos
    ).converted()
    return (try await store.posts.add(photo, caption: "", author: user.id), facts)
  }

  // MARK: Photos of earlier versions

  /// Posts a file as an earlier version did.
  fileprivate func postAsBefore(_ data: Data, in store: KennelStore, by user: User) async throws -> Post {
    let file = try await store.photos.stage(data)
    let facts = try await PhotoInspector.facts(ofFileAt: file.path)
    let post = try await store.posts.add(file, facts: facts, caption: "", author: user.id)
    try await store.database.write { transaction throws(KennelError) -> Void in
      try transaction.connection.run("UPDATE posts SET metadata = NULL WHERE id = ?", .integer(post.id))
    }
    return try await store.posts.post(post.id)
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `photos of earlier versions are examined once`() async throws {
    try await withStore { store in
      let ada = try await store.addUser("Ada")
      let original = try CameraPhoto.jpeg(1)
      let old = try await postAsBefore(original, in: store, by: ada)
      let twin = try await postAsBefore(original, in: store, by: ada)
      let plain = try await postAsBefore(SiteFixture.jpeg(2), in: store, by: ada)
      #expect(old.metadata == .notExamined)
      #expect(try await store.check().notExaminedCount == 3)
      let report = try await store.posts.examineAll()
      #expect(report.changedCount == 2 && report.failureCount == 0)
      #expect(try await store.posts.examineAll().changedCount == 0)
      #expect(try await store.check().notExaminedCount == 0)
      for id in [old.id, twin.id] {
        let post = try await store.posts.post(id)
        #expect(post.metadata == .removed)
        #expect(try await !CameraPhoto.isLeaking(bytes(post, in: store)))
        #expect(try await upload(post, in: store, for: ada) == original)
      }
      #expect(try await store.posts.post(plain.id).metadata == .absent)
      try await expectClean(store, files: 3)
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a photo that cannot be examined does not stop the others`() async throws {
    try await withStore { store in
      let ada = try await store.addUser("Ada")
      let lost = try await postAsBefore(CameraPhoto.jpeg(1), in: store, by: ada)
      let old = try await postAsBefore(CameraPhoto.jpeg(2), in: store, by: ada)
      try FileCalls.remove(store.photos.location(lost.photo))
      let report = try await store.posts.examineAll()
      #expect(report.changedCount == 1 && report.failureCount == 1)
      #expect(try await store.posts.post(old.id).metadata == .removed)
      #expect(try await store.check().problems == [.missing(lost.photo)])
    }
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so each of these tests runs in a separate one.
  @Test(arguments: [
    StorageFault.createFile, .writeFile, .syncFile, .renameFile, .syncDirectory, .removeFile,
  ])
  func `an examination that fails at any step loses nothing, and is repeated`(fault: StorageFault) async {
    await #expect(processExitsWith: .success) { [name = fault.rawValue as String] in
      let fault = try #require(StorageFault(rawValue: name))
      let tests = PhotoMetadataTests()
      try await withStore { store in
        let ada = try await store.addUser("Ada")
        let original = try CameraPhoto.jpeg(1)
        var strikes = 0
        for calls in 0..<40 {
          let old = try await tests.postAsBefore(original, in: store, by: ada)
          fault.arm(after: calls)
          _ = try? await store.posts.examine(old.id)
          let hasStruck = StorageFault.disarm()
          let post = try await store.posts.examine(old.id)
          #expect(post.metadata == .removed)
          #expect(try await tests.upload(post, in: store, for: ada) == original)
          try await store.posts.delete(post.id, by: ada.id)
          #expect(try await eventually { try !TestWorld.hasFiles || store.photoFiles().isEmpty })
          guard hasStruck else { break }
          strikes += 1
        }
        #expect(0..<40 ~= strikes)
        if TestWorld.hasFiles {
          #expect(try await store.check(readsPhotos: true, repairs: true).problems == [])
        }
      }
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it is about files in the directory"))
  func `a process that is killed while it examines photos loses nothing`() async throws {
    let directory = try TemporaryDirectory()
    let original = try CameraPhoto.jpeg(1)
    try await withStore(in: directory) { store in
      let ada = try await store.addUser("Ada")
      for number in 1...8 {
        _ = try await postAsBefore(CameraPhoto.jpeg(number), in: store, by: ada)
      }
    }
    for round in 0..<12 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = directory.path("data") as String, calls = 20 + 25 * round as Int] in
        StorageFault.armKill(after: calls)
        let store = try await KennelStore.open(path, configuration: .forTest)
        while true { _ = try await store.posts.examineAll() }
      }
      try await withStore(in: directory) { store in
        let ada = try #require(try await store.accounts.user(named: "Ada"))
        #expect(try await store.check(readsPhotos: true).problems == [])
        #expect(try store.incomingFiles().isEmpty)
        let uploaded = try await upload(try await store.posts.post(1), in: store, for: ada)
        #expect(uploaded == original)
      }
    }
    try await withStore(in: directory) { store in
      _ = try await store.posts.examineAll()
      #expect(try await store.check().notExaminedCount == 0)
      // What was taken out of two photos may be the same.
      let posts = try await store.posts.persistentPosts()
      let needed = Set(posts.map(\.photo) + posts.compactMap(\.upload?.part))
      try await expectClean(store, files: needed.count)
    }
  }
  #endif

  @Test func `what was appended to a JPEG without its end marker is not in what others get`() async throws {
    try await withStore { store in
      let ada = try await store.addUser("Ada")
      let original = try CameraPhoto.jpeg(1).dropLast(2) + Data("52.5186 N, 13.3763 E".utf8)
      let post = try await post(original, in: store, by: ada)
      let shown = try await bytes(post, in: store)
      #expect(shown.range(of: Data("52.5186".utf8)) == nil && !CameraPhoto.isLeaking(shown))
      #expect((post.facts.width, post.facts.height) == (60, 80))
      #expect(try await upload(post, in: store, for: ada) == original)
    }
  }

  // MARK: Checks and backups

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `a check finds what was taken out and is missing or altered`() async throws {
    try await withStore { store in
      let ada = try await store.addUser("Ada")
      let post = try await post(CameraPhoto.jpeg(1), in: store, by: ada)
      let part = try #require(post.upload?.part)
      #expect(try await store.check(readsPhotos: true).photoCount == 1)
      let path = URL(fileURLWithPath: store.photos.location(part))
      let complete = try Data(contentsOf: path)
      var altered = complete
      altered[altered.count - 1] ^= 1
      try altered.write(to: path)
      #expect(
        try await store.check(readsPhotos: true).problems == [
          .altered(part), .incompleteUpload(post: post.id),
        ])
      #expect(await code { _ = try await upload(post, in: store, for: ada) } == .damaged)
      try complete.dropLast().write(to: path)
      #expect(try await store.check().problems == [.missing(part)])
      try FileCalls.remove(path.path)
      #expect(try await store.check(readsPhotos: true).problems == [.missing(part)])
      try complete.write(to: path)
      #expect(try await store.check(readsPhotos: true).problems == [])
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it changes files of the kennel"))
  func `a check looks at what was taken out of photos in the bin, and after many of them`() async throws {
    try await withStore { store in
      let ada = try await store.addUser("Ada")
      let binned = try await post(CameraPhoto.jpeg(1), in: store, by: ada)
      try await store.posts.moveToBin(binned.id, by: ada.id)
      try await store.database.write { transaction throws(KennelError) in
        try ManyPosts.copyAll(120, transaction.connection)
      }
      let last = try await post(CameraPhoto.jpeg(2), in: store, by: ada)
      #expect(last.id > 120)
      #expect(try await store.check(readsPhotos: true).problems == [])
      var expected: Set<StoreReport.Problem> = []
      for post in [binned, last] {
        let part = try #require(post.upload?.part)
        let path = URL(fileURLWithPath: store.photos.location(part))
        var altered = try Data(contentsOf: path)
        altered[altered.count - 1] ^= 1
        try altered.write(to: path)
        expected.formUnion([.altered(part), .incompleteUpload(post: post.id)])
      }
      let problems = Set(try await store.check(readsPhotos: true).problems)
      #expect(problems.isSuperset(of: expected))
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a backup has photos as they were uploaded`() async throws {
    let directory = try TemporaryDirectory()
    let original = try CameraPhoto.jpeg(1)
    try await withStore { store in
      let ada = try await store.addUser("Ada")
      let post = try await post(original, in: store, by: ada)
      _ = try await store.posts.makeLink(to: .post(post.id), by: ada.id, lifetime: nil)
      #expect(try await store.backUp(to: .path(directory.path("kennel.tar"))).photos == 1)
    }
    let report = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("data"), configuration: .forTest)
    #expect(report.photos == 1 && report.missing.isEmpty)
    try await withStore(in: directory) { store in
      let ada = try #require(try await store.accounts.user(named: "Ada"))
      let post = try await store.posts.post(1)
      #expect(try await upload(post, in: store, for: ada) == original)
      // A link that was revoked after the backup must not work again.
      #expect(try await store.posts.allLinks().isEmpty)
      try await expectClean(store, files: 2)
    }
  }
}
