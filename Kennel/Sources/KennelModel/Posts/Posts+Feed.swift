import KennelStorage

/// The posts of feeds: the latest ones, in the order in which they came here.
extension Posts {
  /// The number of posts in a feed.
  package static let feedLength = 30

  /// Returns the posts of a feed, the latest first, with their version.
  package func versionedFeed() async throws(KennelError) -> Versioned<[Post]> {
    try await versioned { connection throws(KennelError) in
      // The sign keeps SQLite from sorting all posts.
      let ids = try connection.rows(
        "SELECT id FROM posts WHERE +binned IS NULL ORDER BY id DESC LIMIT ?",
        .integer(Int64(Self.feedLength))
      ) { $0.integer(0) }
      return try Self.posts(ids, for: nil, from: connection)
    }
  }

  /// - Throws: `noSuchPost` for a post that is not in the feed.
  package func requireInFeed(_ id: Post.ID) async throws(KennelError) {
    let isThere = try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT 1 FROM posts WHERE id = ?1 AND binned IS NULL
          AND (SELECT count(*) FROM (SELECT 1 FROM posts WHERE id > ?1 AND +binned IS NULL LIMIT ?2) AS later) < ?2
        """, .integer(id), .integer(Int64(Self.feedLength)), row: { _ in true })
    }
    guard isThere != nil else { throw Self.noSuchPost }
  }
}
