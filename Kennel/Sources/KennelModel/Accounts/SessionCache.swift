import Caches
import KennelStorage

/// The users of recently used sessions. They are valid until the next commit, so a session that any process ends, and a
/// user whom any process removes or changes, are unknown here immediately. A pure value.
struct SessionCache: Sendable {
  /// A session, as it was found in the database.
  struct Entry: Sendable, Hashable {
    var user: User
    /// The expiry in milliseconds since 1970.
    var expires: Int64
    /// The recorded time of the latest use in milliseconds since 1970.
    var used: Int64 = 0
  }

  private var mark: CommitMark?
  private var entries: LRUCache<[UInt8], Entry>

  /// - Parameter limit: the maximum number of sessions.
  init(limit: Int) { entries = LRUCache(limit: limit) }

  var count: Int { entries.count }

  /// Returns a session that is known and has not expired.
  ///
  /// - Parameters:
  ///   - digest: the digest of the session's token.
  ///   - mark: the current mark of the database.
  ///   - now: the time in milliseconds since 1970.
  mutating func entry(_ digest: [UInt8], at mark: CommitMark?, now: Int64) -> Entry? {
    guard let mark, mark == self.mark, let entry = entries.value(for: digest), entry.expires > now else {
      return nil
    }
    return entry
  }

  /// Stores a session.
  ///
  /// - Parameter mark: the mark that was read before the session was; see ``ValueAtCommit``.
  mutating func insert(_ entry: Entry, _ digest: [UInt8], readAfter mark: CommitMark?) {
    guard let mark else { return }
    if mark != self.mark {
      entries.removeAll()
      self.mark = mark
    }
    _ = entries.insert(entry, for: digest, cost: 1)
  }
}
