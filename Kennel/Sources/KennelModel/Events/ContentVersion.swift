import KennelStorage
import Synchronization

/// The version of everything that pages and lists show: posts, hearts, comments and their authors.
///
/// Versions of one database are equal only if the content is equal, also if the database was copied and both copies have changed
/// since then. Sessions, passwords, roles and new accounts do not
/// change the version, because no other visitor sees them.
package struct ContentVersion: Sendable, Hashable {
  /// The id of the latest event. Each change of a post, its hearts or its comments has an event in its transaction, and
  /// ids are never used again.
  package var lastEvent: Int64
  /// When the latest event was, in milliseconds. Two copies of a database use the same ids, but at other times.
  package var lastMoment: Int64
  /// A number that grows when a user is removed, or gets another name or picture. Posts and comments of a removed user may
  /// have been transferred to another one, which has no event.
  package var removedUsers: Int64

  package init(lastEvent: Int64, lastMoment: Int64 = 0, removedUsers: Int64) {
    self.lastEvent = lastEvent
    self.lastMoment = lastMoment
    self.removedUsers = removedUsers
  }

  /// Reads the version in the transaction of a connection.
  init(_ connection: any RecordConnection) throws(KennelError) {
    let version = try connection.first(
      """
      SELECT (SELECT value FROM counters WHERE name = 'events'), (SELECT value FROM counters WHERE name = 'names'),
        (SELECT created FROM events WHERE id = (SELECT value FROM counters WHERE name = 'events'))
      """
    ) { ContentVersion(lastEvent: $0.integer(0), lastMoment: $0.integer(2), removedUsers: $0.integer(1)) }
    self = version ?? ContentVersion(lastEvent: 0, removedUsers: 0)
  }
}

extension ContentVersion {
  /// Changes the version, because a user was removed, or has another name or picture.
  static func noteChangedNames(_ connection: any RecordConnection) throws(KennelError) {
    // By a random amount, so that two copies of a database get different numbers.
    try connection.run(
      "UPDATE counters SET value = value + ? WHERE name = 'names'", .integer(.random(in: 1...1 << 20)))
  }
}

/// Something that was read from the store, and the version of the content that it belongs to.
package struct Versioned<Value: Sendable>: Sendable {
  package var value: Value
  package var version: ContentVersion

  /// Returns something that was made from the value, with the same version.
  package func map<Other>(_ transform: (Value) -> Other) -> Versioned<Other> {
    Versioned<Other>(value: transform(value), version: version)
  }
}

/// Knows the current version of the content. As long as nothing is committed, this takes no query.
package final class ContentVersions: Sendable {
  private let changes: ChangeRecorder
  private let latest = Mutex(ValueAtCommit<ContentVersion>())

  init(changes: ChangeRecorder) { self.changes = changes }

  /// Returns the version with all changes that were committed before this call, by any process.
  package func current() async throws(KennelError) -> ContentVersion {
    let mark = changes.database.commitMark
    if let version = latest.withLock({ $0.value(at: mark) }) { return version }
    let version = try await changes.database.read { [changes] connection throws(KennelError) in
      try changes.version(connection)
    }
    latest.withLock { $0.store(version, readAfter: mark) }
    return version
  }
}
