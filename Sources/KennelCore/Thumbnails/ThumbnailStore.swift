import Foundation
import HTTPService
import RetrieverImages
import Synchronization

/// Thumbnails of the kennel's photos: from memory, else from the disk, else made, once however many ask.
package final class ThumbnailStore: Sendable {
  /// What was done.
  package struct Counts: Sendable, Hashable {
    package var fromMemory = 0
    package var fromDisk = 0
    package var made = 0
  }

  fileprivate struct State: Sendable {
    var small: LRUCache<ThumbnailKey, Thumbnail>
    /// Each holds an open file.
    var large: LRUCache<ThumbnailKey, Thumbnail>
    var underWay: [ThumbnailKey: Task<Result<Thumbnail, KennelError>, Never>] = [:]
    var counts = Counts()
    var isClosed = false
    /// Grows with each deletion: what was begun before one is not kept after it.
    var deletions: [PhotoHash: Int] = [:]
  }

  let files: ThumbnailFiles
  let known: KnownPhotos
  private let store: KennelStore
  private let state: Mutex<State>
  private let turnstile = Turnstile(
    "thumbnails", passes: max(ProcessInfo.processInfo.activeProcessorCount, 2), waitingLimit: 1024)

  /// How many files are open for thumbnails at most.
  private static let openFileLimit = 256
  /// What an entry costs beside its bytes.
  fileprivate static let entryCost = 2048

  /// - Parameters:
  ///   - directory: where thumbnails are kept; it is made when it is missing.
  ///   - store: has the photos, and tells of posts that go.
  ///   - diskLimit: how many bytes there at most.
  ///   - memoryLimit: how many bytes in memory at most.
  package init(
    directory: String, store: KennelStore, diskLimit: Int, memoryLimit: Int, clock: KennelClock = .system
  ) throws(KennelError) {
    self.store = store
    files = try ThumbnailFiles(directory: directory, limit: diskLimit, photos: store.photos)
    known = KnownPhotos(clock: clock)
    state = Mutex(State(small: LRUCache(limit: memoryLimit), large: LRUCache(limit: Self.openFileLimit)))
    store.events.observe { [weak self] events in
      for event in events where event.kind == .deleted { self?.forget(post: event.post, photo: event.photo) }
    }
  }

  package var counts: Counts { state.withLock { $0.counts } }
  /// How many are being loaded or made, or wait for that.
  var underWayCount: Int { state.withLock { $0.underWay.count } }
  /// Bytes and files on the disk.
  package var usage: (bytes: Int, files: Int) { files.usage }

  /// A thumbnail that is in memory.
  func ready(_ key: ThumbnailKey) -> Thumbnail? {
    state.withLock { state in
      guard let thumbnail = state.small.value(for: key) ?? state.large.value(for: key) else { return nil }
      state.counts.fromMemory += 1
      return thumbnail
    }
  }

  /// A thumbnail of a photo.
  ///
  /// - Parameter byteCount: what the photo's post says.
  /// - Throws: `busy` when too many are being made, `badPhoto` when the photo cannot be decoded any more.
  package func thumbnail(_ key: ThumbnailKey, byteCount: Int) async throws(KennelError) -> Thumbnail {
    if let thumbnail = ready(key) { return thumbnail }
    let task: Task<Result<Thumbnail, KennelError>, Never>? = state.withLock { state in
      if state.isClosed { return nil }
      if let task = state.underWay[key] { return task }
      // Not the asker's: when it goes away the others still wait, and the next one would begin anew.
      let task = Task.detached { [self] in await result(key, byteCount: byteCount) }
      state.underWay[key] = task
      return task
    }
    guard let task else { throw .closed }
    return try await task.value.get()
  }

  /// A thumbnail's bytes, for who looks into them.
  package func bytes(_ key: ThumbnailKey, byteCount: Int) async throws(KennelError) -> Data {
    let thumbnail = try await thumbnail(key, byteCount: byteCount)
    switch thumbnail.content {
    case .bytes(let data): return data
    case .file:
      if let bytes = try await files.bytes(key) { return bytes }
      return try await make(key, byteCount: byteCount)
    }
  }

  private func result(_ key: ThumbnailKey, byteCount: Int) async -> Result<Thumbnail, KennelError> {
    let deletions = state.withLock { $0.deletions[key.photo, default: 0] }
    var isOrphan = false
    let result: Result<(thumbnail: Thumbnail, isNew: Bool), KennelError>
    do throws(KennelError) {
      if let thumbnail = try await files.load(key) {
        result = .success((thumbnail, false))
      } else {
        let bytes = try await make(key, byteCount: byteCount)
        result = .success((try await files.keep(key, bytes), true))
        // Its post may have gone before anybody could know of this: a photo's file outlives its last post for a while.
        isOrphan = (try? await store.posts.hasPhoto(key.photo)) == false
      }
    } catch {
      result = .failure(error)
    }
    let wasDeleted = state.withLock { [isOrphan] state in
      state.underWay[key] = nil
      guard case .success(let found) = result else { return false }
      if found.isNew { state.counts.made += 1 } else { state.counts.fromDisk += 1 }
      guard !isOrphan, state.deletions[key.photo, default: 0] == deletions else { return true }
      state.keep(found.thumbnail)
      return false
    }
    if wasDeleted { files.remove(key.photo) }
    return result.map(\.thumbnail)
  }

  private func make(_ key: ThumbnailKey, byteCount: Int) async throws(KennelError) -> Data {
    let path = store.photos.file(key.photo, byteCount: byteCount).path
    return try await turnstile.pass { () async throws(KennelError) in
      let bytes = try await PhotoInspector.bytes(ofFileAt: path, limit: PhotoInspector.byteLimit)
      do {
        let image = try UIImage(validating: bytes, limits: PhotoInspector.limits)
        let side = key.size.pixels
        return try await image.thumbnail(ThumbnailTarget(width: side, height: side), priority: .high)
          .data(as: key.format.encoding)
      } catch {
        throw KennelError(decoding: error)
      }
    }
  }

  /// A post is gone, whoever deleted it: so are its photo's thumbnails. Should another post have the same photo, they
  /// are made anew.
  private func forget(post: Int64, photo: PhotoHash?) {
    guard let photo = known.remove(post)?.hash ?? photo else { return }
    state.withLock { state in
      for key in ThumbnailKey.all(of: photo) {
        _ = state.small.remove(key)
        _ = state.large.remove(key)
      }
      // Only work that is under way has to know.
      if state.underWay.keys.contains(where: { $0.photo == photo }) {
        state.deletions[photo, default: 0] += 1
      } else if state.underWay.isEmpty {
        state.deletions = [:]
      }
    }
    files.remove(photo)
  }

  /// Ends what is under way, soon and without its outcome, and lets go of all.
  package func close() async {
    let tasks = state.withLock { state in
      state.isClosed = true
      return Array(state.underWay.values)
    }
    // A thousand may be waiting to be made: whoever ends the server does not wait for them.
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.value }
    await files.close()
    state.withLock { state in
      state.small.removeAll()
      state.large.removeAll()
    }
  }
}

extension ThumbnailStore.State {
  fileprivate mutating func keep(_ thumbnail: Thumbnail) {
    switch thumbnail.content {
    case .bytes(let data):
      _ = small.insert(thumbnail, for: thumbnail.key, cost: data.count + ThumbnailStore.entryCost)
    case .file: _ = large.insert(thumbnail, for: thumbnail.key, cost: 1)
    }
  }
}
