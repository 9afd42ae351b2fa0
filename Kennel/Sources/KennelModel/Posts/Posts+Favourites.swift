import KennelStorage

extension Posts {
  /// The favourites of a post after a change.
  package struct FavouriteState: Sendable, Hashable {
    package var isFavourite: Bool
    package var count: Int
    /// The id of the latest event that this state includes.
    package var lastEvent: Int64
  }

  /// Adds a post to a user's favourites, or removes it. If the post already has the requested state, nothing changes.
  ///
  /// - Throws: `noSuchPost` or `noSuchUser`.
  @discardableResult
  package func setFavourite(
    _ isFavourite: Bool, post: Post.ID, user: User.ID
  ) async throws(KennelError) -> FavouriteState {
    let now = clock.now()
    return try await database.write { [changes] transaction throws(KennelError) in
      let connection = transaction.connection
      _ = try Self.author(of: post, connection)
      let changed: Int
      do throws(KennelError) {
        changed =
          isFavourite
          ? try connection.run(
            #"INSERT INTO favourites (post, "user", created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"#,
            .integer(post), .integer(user), .integer(now.milliseconds))
          : try connection.run(
            #"DELETE FROM favourites WHERE post = ? AND "user" = ?"#, .integer(post), .integer(user))
      } catch  where error.isMissingReference {
        throw KennelError.noSuchUser
      }
      let count = try Self.favouriteCount(post, connection)
      if changed > 0 {
        try changes.record(
          .favourites(count: count), post: post,
          heart: KennelEvent.Heart(user: user, isGiven: isFavourite), at: now, in: transaction)
      }
      return FavouriteState(
        isFavourite: isFavourite, count: count, lastEvent: try EventLog.lastID(connection))
    }
  }

  /// Returns a user's favourites in the order of the times when their photos were taken, the newest first.
  package func favourites(
    of user: User.ID, _ start: PageStart = .newest, limit: Int = 50
  ) async throws(KennelError) -> [Post] {
    try await database.read { connection throws(KennelError) in
      try Self.favourites(of: user, start, limit: limit, from: connection)
    }
  }

  static func favourites(
    of user: User.ID, _ start: PageStart, limit: Int, from connection: any RecordConnection
  ) throws(KennelError) -> [Post] {
    guard let position = try position(before: start, connection) else { return [] }
    // CROSS JOIN makes SQLite begin with the user's favourites, which are few.
    let ids = try connection.rows(
      """
      SELECT p.id FROM favourites f CROSS JOIN posts p
      WHERE p.id = f.post AND f.user = ? AND p.binned IS NULL AND (p.taken_local, p.id) < (?, ?) ORDER BY p.taken_local DESC, p.id DESC LIMIT ?
      """, .integer(user), .integer(position.localMilliseconds), .integer(position.id),
      .integer(Int64(min(max(limit, 1), maximumPageSize))), row: { $0.integer(0) })
    return try posts(ids, for: user, from: connection)
  }

  /// Returns the number of favourites. It is counted each time, so a stored number cannot become wrong.
  static func favouriteCount(_ post: Post.ID, _ connection: any RecordConnection) throws(KennelError) -> Int {
    let count = try connection.first("SELECT count(*) FROM favourites WHERE post = ?", .integer(post)) {
      row in
      Int(row.integer(0))
    }
    return count ?? 0
  }
}
