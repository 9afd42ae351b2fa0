import Foundation
import KennelTestSupport
import KennelWeb
import ObjectStorage
import Retriever
import RetrieverTesting
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import StoredPhotos

/// A photo is posted while another machine removes photos from the same store.
@Suite(.timeLimit(.minutes(5))) struct RemovalRoundTests {
  private let stubs = HTTPStubs()

  private func makeObjects() throws -> ObjectStore {
    ObjectStore(
      try StoreLocation("s3://dogs?endpoint=http://objects.test&region=eu", environment: [:]),
      credentials: StoreCredentials(accessKey: "key", secretKey: "s3cret"), session: stubs.session())
  }

  private func withStubbedStore(
    _ kind: RecordsKind, clock: ManualKennelClock = ManualKennelClock(),
    _ body: (KennelStore, User) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let address = try await kind.makeDatabase()
    let blobs = StoredBlobs.opening(try makeObjects(), directory)
    try await withStore(
      in: directory, clock: clock.clock,
      {
        $0.databaseAddress = address
        $0.blobs = blobs
      }
    ) { try await body($0, try await $0.addUser()) }
  }

  @Test(arguments: RecordsKind.available)
  func `a photo is stored again if others were removed before its row`(_ kind: RecordsKind) async throws {
    let (arrived, arrivals) = AsyncStream.makeStream(of: Void.self)
    let gate = Gate()
    let put = stubs.when("PUT /**") { _ in
      arrivals.yield()
      await gate.wait()
      return .status(200)
    }
    try await withStubbedStore(kind) { store, user in
      async let post = store.addPost(1, by: user)
      var waiting = arrived.makeAsyncIterator()
      await waiting.next()
      // Another machine begins and ends while the photo is on its way.
      try await store.database.write { transaction throws(KennelError) -> Void in
        try RemovalRound.begin(removing: [], at: .now, transaction.connection)
        try RemovalRound.end(removing: [], transaction.connection)
      }
      gate.open()
      let id = try await post.id
      #expect(put.requestCount == 2)
      #expect(try await store.posts.page().map(\.id) == [id])
      try await store.addPost(2, by: user)
      #expect(put.requestCount == 3)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a photo that is being removed is posted when it is gone`(_ kind: RecordsKind) async throws {
    let put = stubs.when("PUT /**", answer: .status(200))
    try await withStubbedStore(kind) { store, user in
      let hash = try await store.photos.stage(KennelStore.photo(1)).hash
      try await store.database.write { transaction throws(KennelError) -> Void in
        try RemovalRound.begin(removing: [hash], at: .now, transaction.connection)
      }
      async let post = store.addPost(1, by: user)
      #expect(await eventually { put.requestCount >= 2 })
      #expect(try await store.posts.page().isEmpty)
      // Other photos need not wait.
      try await store.addPost(2, by: user)
      try await store.database.write { transaction throws(KennelError) -> Void in
        try RemovalRound.end(removing: [hash], transaction.connection)
      }
      let photo = try await post.photo
      #expect(photo == hash)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `what a machine has not removed to the end is removed by another one`(_ kind: RecordsKind) async throws
  {
    let clock = ManualKennelClock()
    let deletion = stubs.when("POST /**", answer: .text("<DeleteResult/>"))
    stubs.when("PUT /**", answer: .status(200))
    try await withStubbedStore(kind, clock: clock) { store, user in
      let post = try await store.addPost(1, by: user)
      try await store.posts.delete(post.id, by: user.id)
      try await store.database.write { transaction throws(KennelError) -> Void in
        try RemovalRound.begin(removing: [post.photo], at: clock.clock.now(), transaction.connection)
      }
      clock.advance(by: .seconds(599))
      #expect(try await store.sweepPhotos() == 0)
      #expect(deletion.requestCount == 0)
      clock.advance(by: .seconds(1))
      #expect(try await store.sweepPhotos() == 1)
      #expect(deletion.requestCount == 1)
      #expect(try await store.sweepPhotos() == 0)
    }
  }

  @Test(.enabled(if: RecordsKind.available.contains(.postgres), "the machines share a database"))
  func `thumbnails of photos that were deleted while a machine was off are removed`() async throws {
    stubs.when("PUT /**", answer: .status(200))
    let address = try await RecordsKind.postgres.makeDatabase()
    let (first, second) = (try TemporaryDirectory(), try TemporaryDirectory())
    func withMachine<Value: Sendable>(
      _ directory: TemporaryDirectory, _ body: (KennelStore) async throws -> Value
    ) async throws -> Value {
      let blobs = StoredBlobs.opening(try makeObjects(), directory)
      return try await withStore(
        in: directory,
        {
          $0.databaseAddress = address
          $0.blobs = blobs
        }, body)
    }
    let folder = first.path("data/thumbnails")
    let (gone, kept) = try await withMachine(first) { store in
      let user = try await store.addUser()
      return (try await store.addPost(1, by: user), try await store.addPost(2, by: user))
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for post in [gone, kept] {
      try first.write(Data("thumbnail".utf8), to: "data/thumbnails/\(post.photo)-320.jpg")
    }
    try await withMachine(second) { try await $0.posts.delete(gone.id, by: gone.author) }
    try await withMachine(first) { store in
      let thumbnails = try ThumbnailStore(
        directory: folder, store: store, maximumDiskSize: 1 << 20, maximumMemorySize: 1 << 20)
      #expect(
        try await eventually {
          try FileManager.default.contentsOfDirectory(atPath: folder) == ["\(kept.photo)-320.jpg"]
        })
      await thumbnails.close()
    }
  }
}
