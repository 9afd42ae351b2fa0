import Foundation
import KennelStorage

/// Keeps one machine from removing a photo from a store that another one is about to use.
///
/// A photo is stored first, and its row is committed later. In between, another machine may find that no row needs the photo, and
/// remove it. Locks would have to be held meanwhile, and could be lost with their connection. Instead, the database has a number
/// of rounds, and the photos that are being removed:
///
/// - Who removes photos decides in a transaction which ones no row needs. It notes these, and begins a round. After they were
///   removed, another transaction removes the notes, and begins a round, too.
/// - Who stores a photo reads the number before, and again in the transaction of the row. If it is different, or if the photo is
///   being removed, the photo is stored again.
///
/// Changes are made one after the other. So either the row is committed before the decision, and the photo is needed; or it is
/// committed after the removal, by someone who has stored the photo since then. If a machine stops in the middle, another one
/// removes the photos again.
enum RemovalRound {
  /// How long after the decision a machine may remove photos, and after which time another one does it again. The difference is
  /// for the requests to the store.
  static let longestDecision: TimeInterval = 60
  private static let abandonedAfter: TimeInterval = 600

  /// Returns the number of the latest round.
  static func latest(_ connection: any RecordConnection) throws(KennelError) -> Int64 {
    try connection.first("SELECT value FROM counters WHERE name = 'removals'") { $0.integer(0) } ?? 0
  }

  /// Returns whether one of some photos is being removed.
  static func isRemoving(
    _ hashes: [PhotoHash], _ connection: any RecordConnection
  ) throws(KennelError) -> Bool {
    for hash in hashes {
      let found = try connection.first(
        "SELECT 1 FROM removals WHERE hash = ? AND since < 0", .blob(hash.bytes), row: { _ in true })
      if found != nil { return true }
    }
    return false
  }

  /// Returns photos whose last post was deleted until a moment, or that a machine began to remove and did not.
  static func due(
    until last: Date, now: Date, limit: Int, _ connection: any RecordConnection
  ) throws(KennelError) -> [PhotoHash] {
    // The time of a photo that is being removed is negative.
    try connection.rows(
      "SELECT hash FROM removals WHERE since BETWEEN ? AND ? LIMIT ?",
      .integer(-max(0, (now - abandonedAfter).milliseconds)), .integer(last.milliseconds),
      .integer(Int64(limit))
    ) { $0.blob(0) }.compactMap { PhotoHash(bytes: $0) }
  }

  /// Begins to remove photos.
  static func begin(
    removing hashes: [PhotoHash], at now: Date, _ connection: any RecordConnection
  ) throws(KennelError) {
    for hash in hashes {
      try connection.run(
        """
        INSERT INTO removals (hash, since) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET since = excluded.since
        """, .blob(hash.bytes), .integer(-max(1, now.milliseconds)))
    }
    try advance(connection)
  }

  /// Notes that photos were removed.
  static func end(removing hashes: [PhotoHash], _ connection: any RecordConnection) throws(KennelError) {
    for hash in hashes {
      try connection.run("DELETE FROM removals WHERE hash = ?", .blob(hash.bytes))
    }
    try advance(connection)
  }

  private static func advance(_ connection: any RecordConnection) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO counters (name, value) VALUES ('removals', 1)
      ON CONFLICT (name) DO UPDATE SET value = counters.value + 1
      """)
  }
}
