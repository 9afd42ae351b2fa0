import Caches
import Foundation
import Glibc
import Synchronization

/// Writes one entry of the disk cache while its bytes arrive, on the cache's queue and in order.
///
/// If writing fails, the image is not kept, and nobody gets an error.
final class DiskCacheWriter: Sendable {
  /// Used only on the cache's queue, so the lock is never contended.
  private struct State: ~Copyable {
    var file: CacheEntryFile?
    var digest = ContentDigest()
    var isOver = false
  }

  private let cache: DiskCache
  private let resource: ImageResource
  private let state: Mutex<State>

  init(cache: DiskCache, resource: ImageResource) {
    self.cache = cache
    self.resource = resource
    state = Mutex(State())
  }

  init(cache: DiskCache, resource: ImageResource, resuming file: consuming CacheEntryFile, after part: Data) {
    self.cache = cache
    self.resource = resource
    var digest = ContentDigest()
    part.withUnsafeBytes { digest.update($0) }
    state = Mutex(State(file: file, digest: digest))
  }

  /// Starts from the beginning. Does nothing if another writer has this entry open.
  func start(_ entry: CacheEntry) {
    cache.queue.async { [self] in
      state.withLock { state in
        guard !state.isOver else { return }
        state.digest = ContentDigest()
        if state.file == nil { state.file = CacheEntryFile.openExclusively(cache.partPath(resource)) }
        if state.file?.start(with: entry) == false { fail(&state) }
      }
    }
  }

  /// Replaces the information about the bytes, which do not change.
  func rewrite(_ entry: CacheEntry) {
    cache.queue.async { [self] in
      state.withLock { state in _ = state.file?.rewrite(entry) }
    }
  }

  func append(_ bytes: Data) {
    cache.queue.async { [self] in
      state.withLock { state in
        guard !state.isOver, state.file != nil else { return }
        let offset = state.digest.count
        // One image must not displace all others.
        if offset + bytes.count > cache.options.sizeLimit / 2 || state.file?.append(bytes, at: offset) != true
        {
          return fail(&state)
        }
        bytes.withUnsafeBytes { state.digest.update($0) }
      }
    }
  }

  /// Ends a complete file and gives it its final name.
  func commit() {
    cache.queue.async { [self] in
      let size: Int? = state.withLock { state in
        guard !state.isOver, state.file != nil else { return nil }
        state.isOver = true
        defer { state.file = nil }
        let isFinished = state.file?.finish(state.digest) == true
        // Before the file gets its final name: a sweep must not see another time of use under that name.
        state.file?.touch(cache.now())
        guard isFinished, rename(cache.partPath(resource), cache.path(resource)) == 0 else {
          cache.removeFile(cache.partPath(resource))
          return nil
        }
        return state.file?.size
      }
      if let size { cache.account(for: size) }
    }
  }

  /// Ends the writing early. The bytes may be kept, so that a later fetch can resume.
  func end(keepsPart: Bool) {
    cache.queue.async { [self] in
      let size: Int? = state.withLock { state in
        guard !state.isOver else { return nil }
        guard keepsPart, state.digest.count > 0 else {
          fail(&state)
          return nil
        }
        state.isOver = true
        state.file?.touch(cache.now())
        let size = state.file?.size
        state.file = nil
        return size
      }
      if let size { cache.account(for: size) }
    }
  }

  private func fail(_ state: inout State) {
    state.isOver = true
    if state.file != nil { cache.removeFile(cache.partPath(resource)) }
    state.file = nil
  }
}
