import Foundation
import KennelTestSupport
import ObjectStorage
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import StoredPhotos

/// Moves of photos to a store and back.
@Suite(.enabled(if: StoreServer.isAvailable), .timeLimit(.minutes(5))) struct MoveTests {
  private static let postCount = 40

  private struct Place {
    let location: StoreLocation
    let credentials: StoreCredentials
    let objects: ObjectStore
  }

  private func makePlace() async throws -> Place {
    let server = try StoreServer.shared.get()
    let bucket = StoredBlobs.newBucket()
    let objects = try await server.store(bucket, "kennel")
    return Place(
      location: try server.location(bucket, "kennel"), credentials: server.credentials, objects: objects)
  }

  private func target(
    _ place: Place, _ directory: String, record: String? = nil
  ) async throws(KennelError) -> MoveTarget {
    let known = try StoredPhotosPlace.read(directory)
    let prepared = try await StoredPhotosPlace.prepareMove(
      to: place.location, of: directory, record: record, credentials: place.credentials)
    return MoveTarget(
      photos: .init(
        blobs: prepared.blobs(for: directory, credentials: place.credentials),
        steps: { StoredPhotosPlace.steps(from: known, suffix: $0) }))
  }

  /// Makes a kennel in a directory, and its backup `kennel.tar`.
  private func makeBackup(in directory: TemporaryDirectory) async throws {
    try await fill(directory)
    try await withStore(in: directory) { store in
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
    }
  }

  private func configuration(_ place: Place, _ directory: String) throws -> KennelStore.Configuration {
    var configuration = KennelStore.Configuration.forTest
    if let known = try StoredPhotosPlace.read(directory) {
      configuration.blobs = known.blobs(for: directory, credentials: place.credentials)
    }
    return configuration
  }

  private func fill(_ directory: TemporaryDirectory) async throws {
    try await withStore(in: directory) { store in
      let ada = try await store.addUser(role: .owner)
      for number in 1...Self.postCount { try await store.addPost(number, by: ada) }
    }
  }

  private func hashes(_ place: Place) async throws -> Set<String> {
    var hashes: Set<String> = []
    for try await object in place.objects.objects() where PhotoHash(object.key) != nil {
      hashes.insert(object.key)
    }
    return hashes
  }

  private let toDirectory = MoveTarget(
    photos: .init(blobs: { $0 }, steps: { _ in StoredPhotosPlace.stepsToDirectory }))

  private func check(_ place: Place, _ directory: String) async throws {
    let report = try await KennelStore.check(
      directory, readsPhotos: true, configuration: configuration(place, directory))
    #expect(report.problems == [] && report.photoCount == Self.postCount)
  }

  @Test func `photos are moved to a store, back, and to the store again`() async throws {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    let data = directory.path("data")
    try await fill(directory)
    let first = try await KennelStore.move(
      data, to: try await target(place, data), configuration: configuration(place, data))
    #expect(first.copiedPhotos == Self.postCount && first.missing == [])
    #expect(try await hashes(place).count == Self.postCount)
    let left = try FileManager.default.contentsOfDirectory(atPath: data).filter {
      $0.hasPrefix("photos.moved-")
    }
    #expect(left.count == 1)
    try await check(place, data)
    let second = try await KennelStore.move(
      data, to: toDirectory, configuration: configuration(place, data))
    #expect(second.copiedPhotos == Self.postCount)
    #expect(try StoredPhotosPlace.read(data) == nil)
    try await check(place, data)
    // The store still has the photos, and belongs to this kennel.
    let third = try await KennelStore.move(
      data, to: try await target(place, data), configuration: configuration(place, data))
    #expect(third.copiedPhotos == 0 && third.presentPhotos == Self.postCount)
    try await check(place, data)
  }

  @Test func `an interrupted move leaves the kennel as it was, and does not copy photos again`() async throws
  {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    let data = directory.path("data")
    try await fill(directory)
    let copied = Mutex(0)
    for count in [1, 10, 30] {
      let interrupted = Mutex<Task<MoveReport, any Error>?>(nil)
      let task = Task {
        try await KennelStore.move(
          data, to: try await target(place, data), configuration: configuration(place, data)
        ) { now in
          if now.photos >= count { interrupted.withLock { $0?.cancel() } }
        }
      }
      interrupted.withLock { $0 = task }
      if case .success(let report) = await task.result {
        copied.withLock { $0 = report.copiedPhotos }
        break
      }
      #expect(try StoredPhotosPlace.read(data) == nil)
      try await check(place, data)
      #expect(try await hashes(place).count >= count)
    }
    if try StoredPhotosPlace.read(data) == nil {
      let present = try await hashes(place).count
      let report = try await KennelStore.move(
        data, to: try await target(place, data), configuration: configuration(place, data))
      // The store may have completed a request after its client was cancelled.
      #expect(report.presentPhotos >= present)
      #expect(report.presentPhotos + report.copiedPhotos == Self.postCount)
    }
    try await check(place, data)
  }

  @Test func `a photo that was altered is not moved, and the others are`() async throws {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    let data = directory.path("data")
    try await fill(directory)
    let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(KennelStore.photo(7)))))
    try Data("photo 8".utf8).write(to: URL(filePath: "\(data)/photos/\(hash)"))
    let report = try await KennelStore.move(
      data, to: try await target(place, data), configuration: configuration(place, data))
    #expect(report.missing == [hash] && report.copiedPhotos == Self.postCount - 1)
    #expect(try await hashes(place).count == Self.postCount - 1)
  }

  @Test func `a file that is larger than the limit of uploads is moved out of a store`() async throws {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    let data = directory.path("data")
    let photo = try await withStore(in: directory) { store in
      let ada = try await store.addUser(role: .owner)
      let staged = try await store.photos.stage(Data.pattern(count: 18 << 20))
      return try await store.posts.add(staged, facts: .small, caption: "", author: ada.id).photo
    }
    _ = try await KennelStore.move(
      data, to: try await target(place, data), configuration: configuration(place, data))
    try FileCalls.remove("\(data)/photo-cache/\(photo)")
    var smaller = try configuration(place, data)
    smaller.maximumPhotoSize = 1 << 20
    let report = try await KennelStore.move(data, to: toDirectory, configuration: smaller)
    #expect(report.copiedPhotos == 1 && report.missing == [])
  }

  @Test func `photos move from one store to another`() async throws {
    let (one, two) = (try await makePlace(), try await makePlace())
    let directory = try TemporaryDirectory()
    let data = directory.path("data")
    try await fill(directory)
    for place in [one, two] {
      _ = try await KennelStore.move(
        data, to: try await target(place, data), configuration: configuration(place, data))
    }
    #expect(try await hashes(two).count == Self.postCount)
    try await check(two, data)
  }

  @Test func `a store with the photos of another kennel is refused`() async throws {
    let place = try await makePlace()
    let (one, two) = (try TemporaryDirectory(), try TemporaryDirectory())
    for directory in [one, two] { try await fill(directory) }
    _ = try await KennelStore.move(
      one.path("data"), to: try await target(place, one.path("data")),
      configuration: configuration(place, one.path("data")))
    let code = await code { _ = try await target(place, two.path("data")) }
    #expect(code == .notAllowed)
  }

  @Test func `a photo that a restore could not move is reported, and the files stay`() async throws {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    try await makeBackup(in: directory)
    let restored = directory.path("restored")
    let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(KennelStore.photo(7)))))
    let report = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: restored, configuration: .forTest,
      target: { draft async throws(KennelError) in
        // The file is lost after it was verified, before it is moved.
        try FileCalls.remove("\(draft)/photos/\(hash)")
        return try await self.target(place, draft)
      })
    #expect(report.missing == [hash])
    #expect(try await hashes(place).count == Self.postCount - 1)
    let left = try FileManager.default.contentsOfDirectory(atPath: restored).filter {
      $0.hasPrefix("photos.moved-")
    }
    #expect(left.count == 1)
  }

  @Test func `a restore into a store that failed can be repeated`() async throws {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    try await makeBackup(in: directory)
    let restored = directory.path("restored")
    let record = StoredPhotosPlace.record(ofRestoring: restored + "/")
    #expect(record == directory.path("restored.photos.store"))
    func restore(failing: Bool) async -> KennelError.Code? {
      await code {
        _ = try await KennelStore.restore(
          from: directory.path("kennel.tar"), to: restored, configuration: .forTest,
          target: { draft async throws(KennelError) in
            let target = try await self.target(place, draft, record: record)
            if failing { throw KennelError(.busy, "Test") }
            return target
          })
      }
    }
    #expect(await restore(failing: true) == .busy)
    #expect(await restore(failing: false) == nil)
    try await check(place, restored)
  }

  @Test func `a backup is restored into a store`() async throws {
    let place = try await makePlace()
    let directory = try TemporaryDirectory()
    try await makeBackup(in: directory)
    let restored = directory.path("restored")
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: restored, configuration: .forTest,
      target: { draft async throws(KennelError) in try await self.target(place, draft) })
    #expect(try await hashes(place).count == Self.postCount)
    try await check(place, restored)
    // The next start makes the directory in which uploads arrive.
    #expect(!FileManager.default.fileExists(atPath: restored + "/photos"))
  }
}
