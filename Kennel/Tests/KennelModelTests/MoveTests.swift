import Foundation
import KennelTestSupport
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// Moves of kennels. Moves to stores are tested in StoredPhotosTests.
@Suite(
  .enabled(if: PostgresServer.isAvailable && TestWorld.hasFiles, "it begins with SQLite"),
  .timeLimit(.minutes(5)))
struct MoveTests {
  private static let postCount = 25

  private static func makeKennel(_ directory: TemporaryDirectory) async throws -> KennelLineage {
    try await withStore(in: directory) { store in
      let ada = try await store.addUser(role: .owner)
      let bruno = try await store.addUser("Bruno")
      for number in 1...Self.postCount { try await store.addPost(number, by: ada, caption: "dog \(number)") }
      _ = try await store.posts.setFavourite(true, post: 3, user: bruno.id)
      _ = try await store.posts.addComment("a wet dog", to: 4, author: bruno.id)
      try await store.posts.moveToBin(5, by: ada.id)
      return try await store.lineage()
    }
  }

  private static func move(
    _ directory: TemporaryDirectory, from address: String? = nil, to records: RecordPlace?,
    photos: MoveTarget.Photos? = nil
  ) async throws -> MoveReport {
    var configuration = KennelStore.Configuration.forTest
    configuration.databaseAddress = address
    return try await KennelStore.move(
      directory.path("data"), to: MoveTarget(records: records, photos: photos), configuration: configuration)
  }

  private static func expectSame(_ store: KennelStore, _ lineage: KennelLineage) async throws {
    #expect(try await store.lineage() == lineage)
    #expect(try await store.check(readsPhotos: true).problems == [])
    #expect(try await store.counts().posts == Self.postCount - 1)
    let found = try await store.posts.search(SearchQuery("wet"), limit: 10, viewer: nil, address: "::1")
    #expect(found.value.map(\.id) == [4])
    #expect(try await store.posts.bin(for: nil).map(\.post.id) == [5])
    _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "::1")
  }

  @Test func `a kennel is the same in PostgreSQL and back, and its numbers continue`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    let lineage = try await Self.makeKennel(directory)
    let report = try await Self.move(directory, to: .postgres(address: address))
    #expect(report.rows > 50 && report.missing.isEmpty)
    let lastEvent = try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      try await Self.expectSame(store, lineage)
      let ada = try #require(try await store.accounts.users().first)
      let post = try await store.addPost(99, by: ada)
      #expect(post.id == Int64(Self.postCount) + 1)
      try await store.posts.moveToBin(post.id, by: ada.id)
      try await store.posts.deleteFromBin(post.id, by: ada.id)
      return store.events.lastID
    }
    _ = try await Self.move(directory, from: address, to: .file)
    try await withStore(in: directory) { store in
      try await Self.expectSame(store, lineage)
      #expect(store.events.lastID == lastEvent)
      let ada = try #require(try await store.accounts.users().first)
      #expect(try await store.addPost(100, by: ada).id == Int64(Self.postCount) + 2)
      #expect(store.events.lastID > lastEvent)
    }
    // The database that was left is refused, but the kennel can return to it.
    let other = try TemporaryDirectory()
    let code = await code { try await withStore(in: other, { $0.databaseAddress = address }) { _ in } }
    #expect(code == .notAllowed)
    _ = try await Self.move(directory, to: .postgres(address: address))
    try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      let count = try await store.counts().posts
      #expect(count == Self.postCount)
    }
  }

  @Test func `a kennel in use is not moved, and one that is moved cannot be used`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    _ = try await Self.makeKennel(directory)
    try await withStore(in: directory) { _ in
      #expect(await code { _ = try await Self.move(directory, to: .postgres(address: address)) } == .busy)
    }
    let photos = try PhotoDirectory(path: directory.path("data/photos"), maximumPhotoSize: 1000)
    let lock = try #require(try photos.beginMove())
    #expect(await code { try await withStore(in: directory) { _ in } } == .busy)
    lock.release()
    try await withStore(in: directory) { _ in }
    await photos.workQueue.close()
  }

  @Test func `a database with another kennel is refused before anything is copied`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let (one, two) = (try TemporaryDirectory(), try TemporaryDirectory())
    let lineage = try await Self.makeKennel(one)
    try await withStore(in: two, { $0.databaseAddress = address }) { store in
      _ = try await store.addUser("Cleo")
    }
    #expect(await code { _ = try await Self.move(one, to: .postgres(address: address)) } == .notAllowed)
    try await withStore(in: one) { store in try await Self.expectSame(store, lineage) }
    try await withStore(in: two, { $0.databaseAddress = address }) { store in
      let names = try await store.accounts.users().map(\.name)
      #expect(names == ["Cleo"])
    }
  }

  @Test func `a store that is open in another directory cannot change records that were moved away`()
    async throws
  {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    _ = try await Self.makeKennel(directory)
    _ = try await Self.move(directory, to: .postgres(address: address))
    try await withStore(in: other, { $0.databaseAddress = address }) { store in
      _ = try await store.addUser("Cleo")
      _ = try await Self.move(directory, from: address, to: .file)
      #expect(await code { _ = try await store.addUser("Dora") } == .notAllowed)
      let names = try await store.accounts.users().map(\.name)
      #expect(names.contains("Cleo") && !names.contains("Dora"))
    }
  }

  @Test func `a kennel that is already there is refused`() async throws {
    let directory = try TemporaryDirectory()
    _ = try await Self.makeKennel(directory)
    #expect(await code { _ = try await Self.move(directory, to: .file) } == .notAllowed)
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so this test runs in a separate one.
  @Test func `a move that fails at any step leaves the kennel as it was, or moved`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let lineage = try await Self.makeKennel(directory)
      let address = try #require(try await RecordsKind.postgres.makeDatabase())
      var isMoved = false
      for fault in [StorageFault.renameFile, .syncFile, .syncDirectory, .removeFile, .createFile] {
        for spared in 0..<6 {
          // A move that fails after the switch has begun is completed by anyone who opens the kennel next.
          fault.arm(after: spared)
          _ = try? await Self.move(
            directory, from: isMoved ? address : nil, to: isMoved ? .file : .postgres(address: address))
          StorageFault.disarm()
          try FileSwitch.complete(in: directory.path("data"))
          isMoved = !FileManager.default.fileExists(atPath: directory.path("data/kennel.sqlite"))
          let current = isMoved ? address : nil
          try await withStore(in: directory, { $0.databaseAddress = current }) { store in
            try await Self.expectSame(store, lineage)
          }
        }
      }
    }
  }
  #endif

  @Test func `a backup of a kennel in PostgreSQL can be restored into both kinds of records`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    let lineage = try await Self.makeKennel(directory)
    _ = try await Self.move(directory, to: .postgres(address: address))
    let backups = directory.path("backups")
    try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      let first = try await store.backUp(toDirectory: backups)
      let file = try await store.backUp(to: .path(directory.path("kennel.tar")))
      #expect(first.photos == Self.postCount && first.missing == [] && file.missing == [])
    }
    let second = try #require(try await RecordsKind.postgres.makeDatabase())
    for (number, place) in [nil, RecordPlace.postgres(address: second)].enumerated() {
      let source = number == 0 ? backups : directory.path("kennel.tar")
      let restored = directory.path("restored-\(number)")
      let report = try await KennelStore.restore(
        from: source, to: restored, configuration: .forTest, target: { _ in MoveTarget(records: place) })
      #expect(report.photos == Self.postCount && report.missing == [])
      var configuration = KennelStore.Configuration.forTest
      if number == 1 { configuration.databaseAddress = second }
      let store = try await KennelStore.open(restored, configuration: configuration)
      let found = try await store.lineage()
      // A restored kennel is a new one with an ancestor.
      #expect(found.ancestors.map(\.identity) == [lineage.identity])
      #expect(try await store.check(readsPhotos: true).problems == [])
      #expect(try await store.counts().posts == Self.postCount - 1)
      let search = try await store.posts.search(SearchQuery("wet"), limit: 10, viewer: nil, address: "::1")
      #expect(search.value.map(\.id) == [4])
      await store.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: restored)
      #expect(!names.contains { $0.contains(MoveTarget.leftMark) }, "\(names)")
    }
  }
}
