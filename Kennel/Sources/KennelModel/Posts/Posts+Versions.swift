import KennelStorage

/// A post with a page of its comments.
package struct Discussion: Sendable, Hashable {
  package var post: Post
  package var comments: [Comment]
}

/// The content of pages and lists. Each is read in one transaction with its version, so both belong together.
extension Posts {
  /// Returns posts in the order of the times when their photos were taken, the newest first, with their version.
  package func versionedPage(
    _ start: PageStart, limit: Int, viewer: User.ID?
  ) async throws(KennelError) -> Versioned<[Post]> {
    try await versioned { connection throws(KennelError) in
      try Self.page(start, limit: limit, viewer: viewer, from: connection)
    }
  }

  /// Returns a user's favourites, ordered like pages of posts, with their version.
  package func versionedFavourites(
    of user: User.ID, _ start: PageStart, limit: Int
  ) async throws(KennelError) -> Versioned<[Post]> {
    try await versioned { connection throws(KennelError) in
      try Self.favourites(of: user, start, limit: limit, from: connection)
    }
  }

  /// Returns a post and its comments after a given one, the oldest first, with their version.
  ///
  /// - Throws: `noSuchPost`.
  package func versionedDiscussion(
    of id: Post.ID, after: Comment.ID, limit: Int, viewer: User.ID?
  ) async throws(KennelError) -> Versioned<Discussion> {
    try await versioned { connection throws(KennelError) in
      guard let post = try Self.post(id, for: viewer, from: connection) else { throw Self.noSuchPost }
      return Discussion(
        post: post,
        comments: try Self.comments(on: id, after: after, limit: limit, from: connection))
    }
  }

  func versioned<Value: Sendable>(
    _ read: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Versioned<Value> {
    try await database.read { [changes] connection throws(KennelError) in
      let value = try read(connection)
      return Versioned(value: value, version: try changes.version(connection))
    }
  }
}
