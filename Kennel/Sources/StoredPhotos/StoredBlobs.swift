import Foundation
import KennelStorage
import ObjectStorage
import Synchronization

/// The photos of a kennel in an S3-compatible store. The name of each object is the hash of its bytes.
///
/// A photo is stored before the transaction of its row. If the process ends in between, the object has no row, and is removed
/// after a day. Programs that need a file get a local copy, which is verified.
package final class StoredBlobs: Blobs {
  /// Limits of the local copies and of the store.
  package struct Configuration: Sendable {
    /// The maximum number of bytes of local copies.
    package var maximumCacheSize = 1 << 30
    /// How long an object stays after its last post was deleted.
    package var removalAge = Duration.seconds(3600)
    /// How old an object without a row must be before it is removed.
    package var orphanAge = Duration.seconds(86_400)
    package var plan = UploadPlan()

    package init() { plan.maximumConcurrentParts = 2 }
  }

  /// The maximum number of bytes of an object whose size is not recorded (1 TiB).
  private static let maximumUnknownSize: Int64 = 1 << 40

  let store: ObjectStore
  let directory: PhotoDirectory
  let cache: CachedPhotos
  let configuration: Configuration
  let now: @Sendable () -> Date
  private let downloads = Mutex<[PhotoHash: Task<Result<BlobFile, KennelError>, Never>]>([:])
  private let downloadPermits = AsyncSemaphore("downloads of photos", permits: 8, maximumWaitingCount: 1024)
  let outage = RecentOutage()
  let reachability = Mutex(Reachability())
  let uploadPermits = AsyncSemaphore("uploads of photos", permits: 4, maximumWaitingCount: 1024)

  /// - Parameters:
  ///   - directory: where files arrive.
  ///   - cacheDirectory: the directory of the local copies. It is created if it is missing.
  package init(
    _ store: ObjectStore, directory: PhotoDirectory, cacheDirectory: String,
    configuration: Configuration = Configuration(), now: @escaping @Sendable () -> Date = { Date() }
  ) throws(KennelError) {
    (self.store, self.directory, self.configuration, self.now) = (store, directory, configuration, now)
    cache = try CachedPhotos(
      directory: cacheDirectory, limit: configuration.maximumCacheSize, workQueue: directory.workQueue)
  }

  /// The number of bytes and files of the local copies.
  package var cacheUsage: (bytes: Int, files: Int) { cache.usage }

  func key(_ hash: PhotoHash) -> String { hash.description }

  // MARK: Reading

  package func body(of hash: PhotoHash, byteCount: Int) async throws(KennelError) -> BlobBody {
    if let file = try await cached(hash, byteCount: byteCount) { return .file(file) }
    return .chunks { [self] range async throws(KennelError) in
      try await chunks(hash, range: range, byteCount: Int64(byteCount))
    }
  }

  private func cached(_ hash: PhotoHash, byteCount: Int?) async throws(KennelError) -> BlobFile? {
    try await directory.workQueue.run { [cache] in cache.file(hash, byteCount: byteCount) }
  }

  private func chunks(
    _ hash: PhotoHash, range: Range<Int64>, byteCount: Int64
  ) async throws(KennelError) -> BlobChunks {
    let isComplete = range == 0..<byteCount
    let object = try await reached(hash) { [store] in
      try await store.open(
        key(hash), range: isComplete ? nil : range, sha256: isComplete ? hash.bytes : nil)
    }
    guard object.properties.size == byteCount, object.range == range else { throw .altered(hash) }
    return BlobChunks { write in
      // The last chunk is kept back until the hash is verified, so that wrong bytes never look complete.
      var last: Data?
      for try await chunk in object.chunks {
        if let last { try await write(last) }
        last = chunk
      }
      if let last { try await write(last) }
    }
  }

  package func file(_ hash: PhotoHash, byteCount: Int?) async throws(KennelError) -> BlobFile {
    if let file = try await cached(hash, byteCount: byteCount) { return file }
    let task = downloads.withLock { downloads in
      if let task = downloads[hash] { return task }
      // A detached task, so that it is not cancelled with the first caller: other callers may be waiting for it.
      let task = Task.detached { [self] in
        let result: Result<BlobFile, KennelError>
        do throws(KennelError) {
          result = .success(
            try await downloadPermits.withPermit { () async throws(KennelError) in
              try await download(hash, byteCount: byteCount)
            })
        } catch {
          result = .failure(error)
        }
        self.downloads.withLock { $0[hash] = nil }
        return result
      }
      downloads[hash] = task
      return task
    }
    return try await task.value.get()
  }

  package func waitForFile(_ hash: PhotoHash, byteCount: Int) throws(KennelError) -> BlobFile {
    try BlockingCall.wait { [self] () async throws(KennelError) in
      try await file(hash, byteCount: byteCount)
    }
  }

  /// Copies a photo to the local directory, and verifies it.
  private func download(_ hash: PhotoHash, byteCount: Int?) async throws(KennelError) -> BlobFile {
    try await reached(hash) { [self] in
      let object = try await store.open(key(hash))
      let size = object.properties.size
      // The limits of this program are for uploads. What was stored under other limits is still read.
      guard byteCount.map({ size == Int64($0) }) ?? (size <= Self.maximumUnknownSize) else {
        throw KennelError.altered(hash)
      }
      try await directory.requireSpace(for: size)
      let upload = try await directory.beginUpload(limit: Int(size))
      for try await chunk in object.chunks { try await upload.append(chunk) }
      let photo = try await upload.finish()
      guard photo.hash == hash else { throw KennelError.altered(hash) }
      return try await directory.workQueue.run { [cache] () throws(KennelError) in try cache.adopt(photo) }
    }
  }

  package func isReadable(_ hash: PhotoHash, byteCount: Int) -> Bool { true }
}
