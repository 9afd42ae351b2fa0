import KennelStorage

/// A user who has shared photos, and a page of them.
package struct PersonPosts: Sendable, Hashable {
  package var name: String
  /// The version of the user’s picture, or nil if there is none.
  package var picture: UserPicture.Version?
  package var posts: [Post]
}

extension Posts {
  /// Returns the posts that a search finds, in the order of the times when their photos were taken, the newest first, with
  /// their version. A search without words finds nothing.
  ///
  /// - Parameter address: the client's IP address.
  /// - Throws: `tooManyAttempts` if the client has other searches, `busy` if too many clients are searching.
  package func search(
    _ query: SearchQuery, _ start: PageStart = .newest, limit: Int, viewer: User.ID?, address: String
  ) async throws(KennelError) -> Versioned<[Post]> {
    try await searches.run(for: address) { () async throws(KennelError) in
      try await versioned { connection throws(KennelError) in
        guard let expression = try SearchCompletions.expression(query, connection),
          let position = try Self.position(before: start, connection)
        else { return [] }
        let page = SearchPage(
          expression: expression, periods: query.periods, start: position,
          limit: min(max(limit, 1), Self.maximumPageSize))
        let ids = try page.ids(connection)
        return try Self.posts(ids, for: viewer, from: connection)
      }
    }
  }

  /// Returns the posts that a user has shared here, in the order of the times when their photos were taken, the newest first,
  /// with their version. Those that were copied from other kennels are by other people.
  ///
  /// - Throws: `noSuchUser`, also for another user without posts: only photos make a person visible to others.
  package func posts(
    of person: User.ID, _ start: PageStart = .newest, limit: Int, viewer: User.ID?
  ) async throws(KennelError) -> Versioned<PersonPosts> {
    try await versioned { connection throws(KennelError) in
      let user = try connection.first(
        """
        SELECT name, (SELECT version FROM user_pictures WHERE "user" = ?1) FROM users WHERE id = ?1
          AND (id = ?2 OR EXISTS (SELECT 1 FROM posts WHERE author = ?1 AND peer IS NULL AND binned IS NULL))
        """, .integer(person), .integer(viewer ?? 0)
      ) { PersonPosts(name: $0.text(0), picture: $0.isNull(1) ? nil : $0.integer(1), posts: []) }
      guard var found = user else { throw KennelError.noSuchUser }
      guard let position = try Self.position(before: start, connection) else {
        return found
      }
      let ids = try connection.rows(
        """
        SELECT id FROM posts WHERE author = ? AND peer IS NULL AND binned IS NULL AND (taken_local, id) < (?, ?)
        ORDER BY taken_local DESC, id DESC LIMIT ?
        """, .integer(person), .integer(position.localMilliseconds), .integer(position.id),
        .integer(Int64(min(max(limit, 1), Self.maximumPageSize)))
      ) { $0.integer(0) }
      found.posts = try Self.posts(ids, for: viewer, from: connection)
      return found
    }
  }
}
