import Foundation

/// What kennels give to each other.
extension Posts {
  /// Posts that were born here, the oldest first: what another kennel may take.
  ///
  /// Those that came from elsewhere are not handed on, so that no post goes round in circles.
  ///
  /// - Parameters:
  ///   - after: the last post of the page before; nil for the first page.
  ///   - limit: brought to 1…``pageLimit``.
  package func sharedPage(after: Post.ID? = nil, limit: Int = 50) async throws(KennelError) -> [Post] {
    let limit = Int64(min(max(limit, 1), Self.pageLimit))
    return try await database.read { connection throws(KennelError) in
      let ids = try connection.rows(
        "SELECT id FROM posts WHERE peer IS NULL AND id > ? ORDER BY id LIMIT ?", .integer(after ?? 0),
        .integer(limit), row: { $0.integer(0) })
      return try Self.posts(ids, for: nil, from: connection)
    }
  }

  /// Keeps a post of another kennel, and that it was dealt with; nil when it was taken before, even if it has been
  /// deleted here since.
  ///
  /// - Throws: `badText`, `badPhoto` or `noSuchUser`, or what the disk says.
  package func take(
    _ photo: StagedPhoto, facts: PhotoFacts, caption: String, author: User.ID, origin: Post.Origin,
    created: Date
  ) async throws(KennelError) -> Post? {
    var draft = try Draft(photo: photo, facts: facts, caption: caption, author: author, created: created)
    draft.origin = origin
    return try await database.write { [self, draft] transaction throws(KennelError) in
      let isNew = try transaction.connection.run(
        "INSERT INTO taken (peer, remote) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(origin.kennel),
        .integer(origin.id))
      try Self.advanceCursor(to: origin.id, of: origin.kennel, in: transaction)
      return isNew > 0 ? try insert(draft, in: transaction) : nil
    }
  }

  /// Whether a post of another kennel was taken before.
  func hasTaken(_ id: Int64, from peer: String) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT 1 FROM taken WHERE peer = ? AND remote = ?", .text(peer), .integer(id), row: { _ in true })
        != nil
    }
  }

  /// Up to which id another kennel's posts have been dealt with.
  func cursor(of peer: String) async throws(KennelError) -> Int64 {
    try await database.read { connection throws(KennelError) in
      try connection.first("SELECT cursor FROM peers WHERE name = ?", .text(peer), row: { $0.integer(0) })
        ?? 0
    }
  }

  /// Never goes back.
  func advanceCursor(to id: Int64, of peer: String) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      try Self.advanceCursor(to: id, of: peer, in: transaction)
    }
  }

  private static func advanceCursor(
    to id: Int64, of peer: String, in transaction: WriteTransaction
  ) throws(KennelError) {
    try transaction.connection.run(
      """
      INSERT INTO peers (name, cursor) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET cursor = max(cursor, ?2)
      """, .text(peer), .integer(id))
  }
}
