import Foundation
import KennelModel
import KennelStorage
import KennelTestSupport
import ObjectStorage
import StoredPhotos
import TestSupport

/// Where the photos of a test are.
enum PhotoPlace: CaseIterable, Sendable {
  case directory
  case store

  /// The places that can be tested here.
  static var available: [PhotoPlace] { StoreServer.isAvailable ? allCases : [.directory] }

  /// Runs a test with a kennel whose photos are in this place.
  func withKennel<Value: Sendable>(
    clock: ManualKennelClock = ManualKennelClock(), _ body: (KennelStore) async throws -> Value
  ) async throws -> Value {
    let directory = try TemporaryDirectory()
    let configure = try await configuration(directory, clock: clock)
    return try await withStore(in: directory, clock: clock.clock, configure, body)
  }

  /// Returns what makes the configuration of a kennel with photos in this place.
  func configuration(
    _ directory: TemporaryDirectory, clock: ManualKennelClock = ManualKennelClock()
  ) async throws -> (inout KennelStore.Configuration) -> Void {
    guard self == .store else { return { _ in } }
    let store = try await StoreServer.shared.get().store(StoredBlobs.newBucket(), "kennel")
    return { $0.blobs = StoredBlobs.opening(store, directory) }
  }
}

extension StoredBlobs {
  static func newBucket() -> String { "dogs-\(UInt64.random(in: 0 ... .max))" }

  /// Returns what opens photos in a store. The objects are older than a day if `isLater` is true.
  static func opening(
    _ store: ObjectStore, _ directory: TemporaryDirectory, isLater: Bool = false,
    _ change: (inout Configuration) -> Void = { _ in }
  ) -> @Sendable (PhotoDirectory) throws(KennelError) -> any Blobs {
    var configuration = Configuration()
    change(&configuration)
    return { [configuration] photos throws(KennelError) in
      try StoredBlobs(
        store, directory: photos, cacheDirectory: directory.path("data/photo-cache"),
        configuration: configuration, now: { Date() + (isLater ? 2 * 86_400 : 0) })
    }
  }
}

extension BlobBody {
  /// The bytes of a range.
  func bytes(_ range: Range<Int64>) async throws -> Data {
    switch self {
    case .file(let file):
      return try Data(contentsOf: URL(fileURLWithPath: file.path))[
        Int(range.lowerBound)..<Int(range.upperBound)]
    case .chunks(let open):
      var data = Data()
      try await open(range).write { data += $0 }
      return data
    }
  }
}

func code(_ work: () async throws -> Void) async -> KennelError.Code? {
  do {
    try await work()
    return nil
  } catch {
    return (error as? KennelError)?.code
  }
}
