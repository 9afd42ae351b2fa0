import Foundation
import KennelStorage

/// The log of the latest events in the database. Each event is written in the transaction of its change.
struct EventLog: Sendable {
  /// The number of events that are kept. Older events cannot be replayed.
  let capacity: Int

  /// Writes an event and assigns its id.
  func append(_ event: KennelEvent, in transaction: WriteTransaction) throws(KennelError) {
    let row = event.kind.row
    let connection = transaction.connection
    let id = try connection.runReturningNumber(
      "UPDATE counters SET value = value + 1 WHERE name = 'events' RETURNING value")
    try connection.run(
      """
      INSERT INTO events (id, kind, post, comment, count, "user", given, photo, created, album)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(id), .text(row.name), .integer(event.post), row.comment.map { .integer($0) } ?? .null,
      row.count.map { .integer(Int64($0)) } ?? .null, event.heart.map { .integer($0.user) } ?? .null,
      event.heart.map { .integer($0.isGiven ? 1 : 0) } ?? .null, event.photo.map { .blob($0.bytes) } ?? .null,
      .integer(event.date.milliseconds), row.album.map { .integer($0) } ?? .null)
    try connection.run("DELETE FROM events WHERE id <= ?", .integer(id - Int64(capacity)))
  }

  /// Returns the events after an id, the oldest first.
  func events(after id: Int64, limit: Int, from connection: any RecordConnection) throws(KennelError)
    -> [KennelEvent]
  {
    try connection.rows(
      """
      SELECT id, kind, post, comment, count, created, "user", given, photo, album FROM events WHERE id > ? ORDER BY id LIMIT ?
      """,
      .integer(id), .integer(Int64(limit))
    ) { row throws(KennelError) in
      guard
        let kind = KennelEvent.Kind(
          name: row.text(1), comment: row.integer(3), count: Int(row.integer(4)), album: row.integer(9))
      else { throw KennelError(.damaged, "An event has an unknown kind. Restore a backup.") }
      return KennelEvent(
        id: row.integer(0), post: row.integer(2), kind: kind, date: Date(milliseconds: row.integer(5)),
        heart: row.isNull(6)
          ? nil : KennelEvent.Heart(user: row.integer(6), isGiven: row.integer(7) != 0),
        photo: PhotoHash(bytes: row.blob(8)))
    }
  }

  /// Returns the id before the oldest event in the log. Events up to this id cannot be replayed.
  func lastDiscardedID(_ connection: any RecordConnection) throws(KennelError) -> Int64 {
    if let oldest = try connection.first("SELECT id FROM events ORDER BY id LIMIT 1", row: { $0.integer(0) })
    {
      return oldest - 1
    }
    return try Self.lastID(connection)
  }

  /// Returns the id of the latest event ever written, or 0 if there was none.
  static func lastID(_ connection: any RecordConnection) throws(KennelError) -> Int64 {
    try connection.first("SELECT value FROM counters WHERE name = 'events'") { $0.integer(0) } ?? 0
  }
}

extension KennelEvent.Kind {
  fileprivate var row: (name: String, comment: Int64?, count: Int?, album: Int64?) {
    switch self {
    case .posted: ("posted", nil, nil, nil)
    case .favourites(let count): ("favourites", nil, count, nil)
    case .commented(let comment, let count): ("commented", comment, count, nil)
    case .commentDeleted(let comment, let count): ("commentDeleted", comment, count, nil)
    case .edited: ("edited", nil, nil, nil)
    case .dated: ("dated", nil, nil, nil)
    case .deleted: ("deleted", nil, nil, nil)
    case .photoChanged: ("photoChanged", nil, nil, nil)
    case .albumChanged(let album): ("albumChanged", nil, nil, album)
    }
  }

  fileprivate init?(name: String, comment: Int64, count: Int, album: Int64) {
    switch name {
    case "posted": self = .posted
    case "favourites": self = .favourites(count: count)
    case "commented": self = .commented(comment: comment, count: count)
    case "commentDeleted": self = .commentDeleted(comment: comment, count: count)
    case "edited": self = .edited
    case "dated": self = .dated
    case "deleted": self = .deleted
    case "photoChanged": self = .photoChanged
    case "albumChanged": self = .albumChanged(album: album)
    default: return nil
    }
  }
}
