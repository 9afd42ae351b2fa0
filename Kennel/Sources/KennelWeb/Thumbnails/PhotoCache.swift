import Caches
import KennelStorage
import RetrieverImages
import Synchronization

/// A cache of the photos of recently requested posts. It saves a database query for each thumbnail.
///
/// The current version of the content must be read before an entry is used: this removes the posts that other processes have deleted.
/// Entries still expire after some time, so correctness does not depend on the notification of every deletion.
final class PhotoCache: Sendable {
  struct Photo: Sendable, Hashable {
    var hash: PhotoHash
    var byteCount: Int
  }

  /// A mark in time. A result that was read before a deletion is not inserted after it.
  struct Mark: Sendable, Equatable {
    fileprivate var deletions: Int
  }

  private struct Entry: Sendable {
    var photo: Photo
    var until: Duration
  }

  private struct State: Sendable {
    var photos: LRUCache<Int64, Entry>
    var deletions = 0
  }

  private let state: Mutex<State>
  private let lifetime: Duration
  private let clock: KennelClock

  init(limit: Int = 20_000, lifetime: Duration = .seconds(30), clock: KennelClock) {
    state = Mutex(State(photos: LRUCache(limit: limit)))
    self.lifetime = lifetime
    self.clock = clock
  }

  var mark: Mark { state.withLock { Mark(deletions: $0.deletions) } }

  func photo(of post: Int64) -> Photo? {
    let now = clock.uptime()
    return state.withLock { state in
      guard let entry = state.photos.value(for: post), entry.until > now else { return nil }
      return entry.photo
    }
  }

  func insert(_ photo: Photo, of post: Int64, since mark: Mark) {
    let entry = Entry(photo: photo, until: clock.uptime() + lifetime)
    state.withLock { state in
      guard state.deletions == mark.deletions else { return }
      _ = state.photos.insert(entry, for: post, cost: 1)
    }
  }

  /// Removes all posts, because some of them may have been deleted.
  func removeAll() {
    state.withLock { state in
      state.deletions += 1
      state.photos.removeAll()
    }
  }

  /// Removes a deleted post. Returns its photo, if it is known.
  @discardableResult
  func remove(_ post: Int64) -> Photo? {
    state.withLock { state in
      state.deletions += 1
      let photo = state.photos.peek(post)?.photo
      _ = state.photos.remove(post)
      return photo
    }
  }
}
