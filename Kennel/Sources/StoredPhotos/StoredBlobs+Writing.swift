import Foundation
import Hashing
import KennelStorage
import ObjectStorage
import Synchronization

extension StoredBlobs {
  package func put(_ photo: StagedPhoto) async throws(KennelError) -> FileLock? {
    let held = try await holdRemovals()
    try await uploadPermits.withPermit { () async throws(KennelError) in
      try await reached(photo.hash) { [self] in try await upload(photo) }
    }
    // The next thing that happens to a photo is that its thumbnails are made.
    try await directory.workQueue.run { [cache] in cache.add(photo) }
    return held
  }

  package func receive(_ photo: StagedPhoto) async throws(KennelError) { _ = try await put(photo) }

  /// The store has compared the hash of each object, or of each of its parts, with what was sent.
  package func isReceived(_ photo: StoredPhoto) async throws(KennelError) -> Bool { true }

  /// Prevents objects from being removed until the row of a photo is committed. Waits while some are being removed.
  private func holdRemovals() async throws(KennelError) -> FileLock {
    for _ in 0..<200 {
      let lock = try await directory.workQueue.run { [directory] () throws(KennelError) in
        try directory.holdRemovalsIfFree()
      }
      if let lock { return lock }
      do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .cancelled }
    }
    throw KennelError(.busy, "Photos are being removed from the store. Try again in a moment.")
  }

  private func upload(_ photo: StagedPhoto) async throws {
    let key = key(photo.hash)
    let size = Int64(photo.byteCount)
    guard photo.byteCount <= configuration.plan.partSize else {
      // The object appears when it is complete. It would be replaced by the same bytes.
      if try await store.properties(of: key)?.size == size { return }
      try await store.upload(
        FileChunks(path: photo.path, hash: photo.hash, workQueue: directory.workQueue), as: key,
        plan: configuration.plan)
      return
    }
    let data = try await directory.workQueue.run { () throws(KennelError) in
      try OpenFile(reading: photo.path).contents(limit: photo.byteCount)
    }
    guard Sodium.sha256(Array(data)) == photo.hash.bytes else { throw FileChunks.changed }
    let result = try await store.put(data, as: key, onlyIfAbsent: true)
    // An object of another size is damaged.
    if result == .existed, try await store.properties(of: key)?.size != size {
      try await store.put(data, as: key)
    }
  }

  /// The row decides whether a photo exists.
  package func has(_ hash: PhotoHash, byteCount: Int) -> Bool { true }

  package func place(
    _ photo: StagedPhoto, in transaction: WriteTransaction, ifUndone recover: @escaping () -> Void
  ) {}

  /// The object is removed later, by ``delete(_:)``.
  package func remove(_ hash: PhotoHash, in transaction: WriteTransaction) throws(KennelError) {
    try transaction.connection.run(
      "INSERT INTO removals (hash) VALUES (?) ON CONFLICT DO NOTHING", .blob(hash.bytes))
  }
}

// MARK: Sweeping

extension StoredBlobs: BlobSweeper {
  package var sweeper: (any BlobSweeper)? { self }
  package var removalAge: Duration { configuration.removalAge }

  package func delete(_ hashes: [PhotoHash]) async throws(KennelError) {
    do throws(ObjectStoreError) {
      try await store.delete(hashes.map { key($0) })
    } catch {
      throw KennelError(error, nil)
    }
    try await directory.workQueue.run { [cache] in for hash in hashes { cache.remove(hash) } }
  }

  package func oldPhotos(after last: PhotoHash?) async throws(KennelError) -> [PhotoHash] {
    let (limit, oldest) = (1000, now() - TimeInterval(configuration.orphanAge.components.seconds))
    var hashes: [PhotoHash] = []
    do {
      for try await object in store.objects(after: last.map { key($0) }) {
        guard let hash = PhotoHash(object.key), let modified = object.modified, modified < oldest else {
          continue
        }
        hashes.append(hash)
        if hashes.count == limit { break }
      }
    } catch {
      throw KennelError(error, nil)
    }
    return hashes
  }

  package func removeUnfinished() async throws(KennelError) {
    let oldest = now() - TimeInterval(configuration.orphanAge.components.seconds)
    do throws(ObjectStoreError) {
      for upload in try await store.unfinishedUploads() {
        guard PhotoHash(upload.key) != nil, let begun = upload.begun, begun < oldest else { continue }
        try await store.abort(upload)
      }
    } catch {
      // Not every store can list uploads, and it needs a permission of its own. Nothing depends on it.
      if [.notAllowed, .refused, .badResponse, .noSuchObject].contains(error.code) { return }
      throw KennelError(error, nil)
    }
  }
}

/// The bytes of a file in pieces. In the end, it is an error if they do not have the expected hash.
private struct FileChunks: AsyncSequence, Sendable {
  static let changed = KennelError(
    .inputOutput, "A file that was uploaded changed on the disk. Upload it again.")

  private final class Reader: Sendable {
    private let file: OpenFile
    private let expected: PhotoHash
    private let hash = Mutex(RunningHash())

    init(_ path: String, _ expected: PhotoHash) throws(KennelError) {
      file = try OpenFile(reading: path)
      self.expected = expected
    }

    /// Returns the next bytes; none at the end.
    func next(at position: Int) throws(KennelError) -> Data {
      let buffer = FileBuffer()
      let count = try file.read(into: buffer.first(.max), at: position)
      let data = Data(buffer.bytes(count))
      let isUnchanged = hash.withLock { hash in
        hash.update(data)
        return !data.isEmpty || hash.finish() == expected.bytes
      }
      guard isUnchanged else { throw FileChunks.changed }
      return data
    }
  }

  let path: String
  let hash: PhotoHash
  let workQueue: BlockingWorkQueue<Void>

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate let path: String
    fileprivate let hash: PhotoHash
    fileprivate let workQueue: BlockingWorkQueue<Void>
    private var reader: Reader?
    private var position = 0

    fileprivate init(_ chunks: FileChunks) {
      (path, hash, workQueue) = (chunks.path, chunks.hash, chunks.workQueue)
    }

    mutating func next() async throws -> Data? {
      let reader: Reader
      if let known = self.reader {
        reader = known
      } else {
        reader = try await workQueue.run { [path, hash] () throws(KennelError) in
          try Reader(path, hash)
        }
        self.reader = reader
      }
      let data = try await workQueue.run { [position] () throws(KennelError) in
        try reader.next(at: position)
      }
      position += data.count
      return data.isEmpty ? nil : data
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
