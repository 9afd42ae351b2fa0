import Caches
import Foundation
import HTTPService
import KennelModel
import KennelStorage
import RetrieverImages
import Synchronization

/// The thumbnails of the kennel's photos. A thumbnail comes from memory, from the disk, or is made. It is made once
/// even if many clients request it at the same time.
package final class ThumbnailStore: Sendable {
  /// The number of thumbnails by source.
  package struct Counts: Sendable, Hashable {
    package var fromMemory = 0
    package var fromDisk = 0
    package var made = 0
  }

  fileprivate struct State: Sendable {
    var small: LRUCache<ThumbnailKey, Thumbnail>
    /// The large thumbnails. Each one holds an open file.
    var large: LRUCache<ThumbnailKey, Thumbnail>
    var inProgress: [ThumbnailKey: Task<Result<Thumbnail, KennelError>, Never>] = [:]
    var counts = Counts()
    var isClosed = false
    /// The number of deletions per photo. A thumbnail that was begun before a deletion is not kept after it.
    var deletions: [PhotoHash: Int] = [:]
    /// Removes the files of photos that no post has any more.
    var cleaning: Task<Void, Never>?
    /// Whether events were lost while that was in progress.
    var mustCleanAgain = false
  }

  let files: ThumbnailFiles
  let photoCache: PhotoCache
  private let store: KennelStore
  private let state: Mutex<State>
  private let semaphore = AsyncSemaphore(
    "thumbnails", permits: max(ProcessInfo.processInfo.activeProcessorCount, 2), maximumWaitingCount: 1024)

  /// The maximum number of files that are open for thumbnails.
  private static let maximumOpenFileCount = 256
  /// The number of photos that are looked up in the database together.
  private static let cleaningPageSize = 500
  /// The cost of an entry in addition to its bytes.
  fileprivate static let entryCost = 2048

  /// - Parameters:
  ///   - directory: the directory of the thumbnails. It is created if it is missing. Thumbnails of photos that were deleted while this
  ///     process did not run are removed in the background.
  ///   - store: the store with the photos. It reports deleted posts.
  ///   - maximumDiskSize: the maximum number of bytes on the disk.
  ///   - maximumMemorySize: the maximum number of bytes in memory.
  package init(
    directory: String, store: KennelStore, maximumDiskSize: Int, maximumMemorySize: Int,
    clock: KennelClock = .system
  ) throws(KennelError) {
    self.store = store
    files = try ThumbnailFiles(directory: directory, limit: maximumDiskSize)
    photoCache = PhotoCache(clock: clock)
    state = Mutex(
      State(small: LRUCache(limit: maximumMemorySize), large: LRUCache(limit: Self.maximumOpenFileCount)))
    store.events.observe { [weak self] delivery in
      switch delivery {
      case .events(let events):
        for event in events where event.kind == .deleted || event.kind == .photoChanged {
          self?.forget(post: event.post, photo: event.photo)
        }
      case .missed: self?.forgetAll()
      }
    }
    files.index { [weak self] in self?.beginCleaning() }
  }

  package var counts: Counts { state.withLock { $0.counts } }
  /// The number of thumbnails that are being loaded or made, or wait for that.
  var inProgressCount: Int { state.withLock { $0.inProgress.count } }
  /// The number of bytes and files on the disk.
  package var usage: (bytes: Int, files: Int) { files.usage }

  /// Returns a thumbnail if it is in memory.
  func ready(_ key: ThumbnailKey) -> Thumbnail? {
    state.withLock { state in
      guard let thumbnail = state.small.value(for: key) ?? state.large.value(for: key) else { return nil }
      state.counts.fromMemory += 1
      return thumbnail
    }
  }

  /// Returns a thumbnail of a photo.
  ///
  /// - Parameter byteCount: the size recorded with the photo's post.
  /// - Throws: `busy` if too many thumbnails are being made, `badPhoto` if the photo can no longer be decoded.
  package func thumbnail(_ key: ThumbnailKey, byteCount: Int) async throws(KennelError) -> Thumbnail {
    if let thumbnail = ready(key) { return thumbnail }
    let task: Task<Result<Thumbnail, KennelError>, Never>? = state.withLock { state in
      if state.isClosed { return nil }
      if let task = state.inProgress[key] { return task }
      // A detached task, so that it is not cancelled with the first caller: other callers may be waiting for it.
      let task = Task.detached { [self] in await result(key, byteCount: byteCount) }
      state.inProgress[key] = task
      return task
    }
    guard let task else { throw .closed }
    return try await task.value.get()
  }

  /// Returns a thumbnail's bytes, for callers that process them.
  package func bytes(_ key: ThumbnailKey, byteCount: Int) async throws(KennelError) -> Data {
    let thumbnail = try await thumbnail(key, byteCount: byteCount)
    switch thumbnail.content {
    case .bytes(let data): return data
    case .file:
      if let bytes = try await files.bytes(key) { return bytes }
      return try await make(key, byteCount: byteCount).data
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
        let made = try await make(key, byteCount: byteCount)
        if made.isPlaceholder {
          // It is not kept on the disk, so that the next run tries again.
          result = .success((Thumbnail(key, .bytes(made.data), isPlaceholder: true), true))
        } else {
          result = .success((try await files.keep(key, made.data), true))
        }
        // The post may have been deleted before this could be known, because a photo's file is kept for a while after
        // its last post.
        isOrphan = (try? await store.posts.hasPhoto(key.photo)) == false
      }
    } catch {
      result = .failure(error)
    }
    let wasDeleted = state.withLock { [isOrphan] state in
      state.inProgress[key] = nil
      guard case .success(let found) = result else { return false }
      if found.isNew { state.counts.made += 1 } else { state.counts.fromDisk += 1 }
      guard !isOrphan, state.deletions[key.photo, default: 0] == deletions else { return true }
      state.keep(found.thumbnail)
      return false
    }
    if wasDeleted { files.remove(key.photo) }
    return result.map(\.thumbnail)
  }

  private func make(
    _ key: ThumbnailKey, byteCount: Int
  ) async throws(KennelError) -> (data: Data, isPlaceholder: Bool) {
    let file = try await store.blobs.file(key.photo, byteCount: byteCount)
    defer { withExtendedLifetime(file) {} }
    let path = file.path
    if try await PhotoInspector.isVideo(fileAt: path) {
      return try await makePoster(key, byteCount: byteCount, path: path)
    }
    let data = try await semaphore.withPermit { () async throws(KennelError) in
      let bytes = try await PhotoInspector.bytes(ofFileAt: path, limit: PhotoInspector.maximumByteCount)
      return try await scaled(bytes, to: key)
    }
    return (data, false)
  }

  /// Makes a thumbnail of a video. The largest one is made from a frame of the video, and the others from the largest one.
  private func makePoster(
    _ key: ThumbnailKey, byteCount: Int, path: String
  ) async throws(KennelError) -> (data: Data, isPlaceholder: Bool) {
    let largest = ThumbnailKey(photo: key.photo, size: .largest, format: .jpeg)
    let picture: VideoPoster.Picture
    if key == largest {
      picture = try await VideoPoster.picture(ofFileAt: path)
    } else {
      let poster = try await thumbnail(largest, byteCount: byteCount)
      picture = VideoPoster.Picture(
        data: try await bytes(largest, byteCount: byteCount), isPlaceholder: poster.isPlaceholder)
    }
    let data = try await semaphore.withPermit { () async throws(KennelError) in
      try await scaled(picture.data, to: key)
    }
    return (data, picture.isPlaceholder)
  }

  private func scaled(_ bytes: Data, to key: ThumbnailKey) async throws(KennelError) -> Data {
    do {
      let side = key.size.pixels
      let result = try await PhotoDecoder.sandbox.thumbnail(
        of: bytes, ThumbnailTarget(width: side, height: side), limits: PhotoInspector.limits,
        damage: .tolerate, priority: .high)
      return try await result.thumbnail.data(as: key.format.encoding)
    } catch {
      throw KennelError(decoding: error)
    }
  }

  /// Removes the thumbnails of a deleted post. If another post has the same photo, they are made again.
  private func forget(post: Int64, photo: PhotoHash?) {
    guard let photo = photoCache.remove(post)?.hash ?? photo else { return }
    forget(photo)
  }

  private func forget(_ photo: PhotoHash) {
    state.withLock { state in
      for key in ThumbnailKey.all(of: photo) {
        _ = state.small.remove(key)
        _ = state.large.remove(key)
      }
      // Only work in progress needs to know.
      if state.inProgress.keys.contains(where: { $0.photo == photo }) {
        state.deletions[photo, default: 0] += 1
      } else if state.inProgress.isEmpty {
        state.deletions = [:]
      }
    }
    files.remove(photo)
  }

  /// Empties the memory, because posts may have been deleted without an event, and removes the files of their photos.
  private func forgetAll() {
    photoCache.removeAll()
    state.withLock { state in
      state.small.removeAll()
      state.large.removeAll()
      for photo in Set(state.inProgress.keys.map(\.photo)) { state.deletions[photo, default: 0] += 1 }
    }
    beginCleaning()
  }

  /// Begins to remove the files of photos that no post has any more.
  private func beginCleaning() {
    state.withLock { state in
      guard !state.isClosed else { return }
      guard state.cleaning == nil else {
        state.mustCleanAgain = true
        return
      }
      state.cleaning = Task.detached { [self] in await clean() }
    }
  }

  private func clean() async {
    var isDone = false
    while !isDone {
      // If the database cannot be reached, the files are removed after the next start.
      try? await removeUnused()
      isDone = state.withLock { state in
        guard state.mustCleanAgain, !state.isClosed else {
          state.cleaning = nil
          return true
        }
        state.mustCleanAgain = false
        return false
      }
    }
  }

  private func removeUnused() async throws(KennelError) {
    let photos = try await files.photos()
    for start in stride(from: 0, to: photos.count, by: Self.cleaningPageSize) where !Task.isCancelled {
      let page = Array(photos[start..<min(start + Self.cleaningPageSize, photos.count)])
      for photo in try await store.posts.photosWithoutPosts(among: page) { forget(photo) }
    }
  }

  /// Cancels work in progress and releases everything.
  package func close() async {
    let (tasks, cleaning) = state.withLock { state in
      state.isClosed = true
      return (Array(state.inProgress.values), state.cleaning)
    }
    // A thousand thumbnails may be waiting. The shutdown does not wait for them.
    for task in tasks { task.cancel() }
    cleaning?.cancel()
    for task in tasks { _ = await task.value }
    if let cleaning { await cleaning.value }
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
