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
  /// - Parameter key: under what it is remembered.
  /// - Throws: `badText`, `badPhoto` or `noSuchUser`, or what the disk says.
  package func take(
    _ photo: StagedPhoto, facts: PhotoFacts, caption: String, author: User.ID, origin: Post.Origin,
    key: PeerKey, created: Date
  ) async throws(KennelError) -> Post? {
    var draft = try Draft(photo: photo, facts: facts, caption: caption, author: author, created: created)
    draft.origin = origin
    return try await database.write { [self, draft] transaction throws(KennelError) in
      let isNew = try transaction.connection.run(
        "INSERT INTO taken (peer, remote) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(key.kennel),
        .integer(origin.id))
      try PeerMemory.advance(to: origin.id, of: key, transaction.connection)
      return isNew > 0 ? try insert(draft, in: transaction) : nil
    }
  }

  /// Whether a post of another kennel was taken before.
  func hasTaken(_ id: Int64, of key: PeerKey) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT 1 FROM taken WHERE peer = ? AND remote = ?", .text(key.kennel), .integer(id),
        row: { _ in true }
      ) != nil
    }
  }

  /// Whether the very same post has come from some kennel: from a copy of the one that offers it, or from itself under
  /// another identity. All of it is compared, so that no kennel can keep another one's posts away.
  func hasEqual(to post: PeerPost) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT 1 FROM posts WHERE photo = ? AND remote = ? AND peer_author = ? AND caption = ? AND created = ?",
        .blob(post.hash.bytes), .integer(post.id), .text(post.author), .text(post.caption),
        .integer(post.created.milliseconds), row: { _ in true }) != nil
    }
  }
}
