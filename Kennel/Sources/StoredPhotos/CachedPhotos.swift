import Caches
import Foundation
import KennelStorage
import Synchronization

/// Local copies of photos that are in a store, for programs that need a file. The least recently used ones are removed when their
/// total size exceeds the limit.
///
/// Each file has the hash of its bytes as its name, and was verified before it got it. A file that is in use is locked, so neither
/// this process nor another one removes it.
final class CachedPhotos: Sendable {
  private struct State: Sendable {
    var index: LRUCache<PhotoHash, Bool>
    /// Files that were in use when they had to be removed.
    var overdue: Set<PhotoHash> = []
  }

  let directory: String
  private let workQueue: BlockingWorkQueue<Void>
  private let state: Mutex<State>

  /// - Parameter limit: the maximum number of bytes. One file may be larger.
  init(directory: String, limit: Int, workQueue: BlockingWorkQueue<Void>) throws(KennelError) {
    self.directory = directory
    self.workQueue = workQueue
    state = Mutex(State(index: LRUCache(limit: max(limit, 0))))
    try FileCalls.makeDirectory(directory)
    workQueue.submit(CancellationTicket(), { [self] () throws(KennelError) in try indexFiles() }) { _ in }
  }

  private func path(_ hash: PhotoHash) -> String { "\(directory)/\(hash)" }

  /// The number of bytes and files.
  var usage: (bytes: Int, files: Int) { state.withLock { ($0.index.cost, $0.index.count) } }

  /// Finds the files of earlier runs.
  private func indexFiles() throws(KennelError) {
    try FileCalls.forEachName(in: directory) { name in
      guard let hash = PhotoHash(name), let size = FileCalls.size(of: path(hash)) else { return }
      note(hash, byteCount: size)
    }
  }

  /// Returns the file of a photo, locked, if there is one. It blocks, but not for long.
  func file(_ hash: PhotoHash, byteCount: Int?) -> BlobFile? {
    let path = path(hash)
    guard let file = try? OpenFile(reading: path), let size = try? file.size(), size == byteCount ?? size,
      let lock = FileLock(sharingIfFree: file), FileCalls.size(of: path) == size
    else { return nil }
    note(hash, byteCount: size)
    return BlobFile(path: path, lock: lock)
  }

  /// Adds a verified file, which is moved.
  func adopt(_ photo: StagedPhoto) throws(KennelError) -> BlobFile {
    try photo.shareLock()
    try FileCalls.rename(photo.path, to: path(photo.hash))
    guard let file = file(photo.hash, byteCount: photo.byteCount) else {
      throw KennelError(.busy, "The copy of a photo was removed while it was made. Try again.")
    }
    return file
  }

  /// Adds a verified file, which also stays where it is. Nothing happens if that is not possible.
  func add(_ photo: StagedPhoto) {
    guard (try? photo.shareLock()) != nil,
      (try? FileCalls.link(photo.path, as: path(photo.hash))) == true
    else { return }
    note(photo.hash, byteCount: photo.byteCount)
  }

  /// Removes the file of a photo, unless it is in use.
  func remove(_ hash: PhotoHash) {
    state.withLock { _ = $0.index.remove(hash) }
    discard([hash])
  }

  private func note(_ hash: PhotoHash, byteCount: Int) {
    let evicted = state.withLock { state in
      if state.index.value(for: hash) != nil { return [PhotoHash]() }
      state.overdue.remove(hash)
      let evicted = state.index.insert(true, for: hash, cost: byteCount) + Array(state.overdue)
      // A file that is larger than the limit stays until the next one is added.
      state.overdue = state.index.peek(hash) == nil ? [hash] : []
      return evicted.filter { $0 != hash }
    }
    discard(evicted)
  }

  private func discard(_ hashes: [PhotoHash]) {
    for hash in hashes {
      guard let file = try? OpenFile(reading: path(hash)) else { continue }
      if let lock = FileLock(file) {
        try? FileCalls.remove(path(hash))
        lock.release()
      } else {
        state.withLock { _ = $0.overdue.insert(hash) }
      }
    }
  }
}
