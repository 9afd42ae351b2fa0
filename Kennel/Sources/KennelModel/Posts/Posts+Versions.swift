import KennelStorage

/// A post with a page of its comments.
package struct Discussion: Sendable, Hashable {
  package var post: Post
  package var comments: [Comment]
}

/// The content of pages and lists. Each is read in one transaction with its version, so both belong together.
extension Posts {
  /// Returns the posts before a given one, the newest first, with their version.
  package func versionedPage(
    before: Post.ID?, limit: Int, viewer: User.ID?
  ) async throws(KennelError) -> Versioned<[Post]> {
    try await versioned { connection throws(KennelError) in
      try Self.page(before: before, limit: limit, viewer: viewer, from: connection)
    }
  }

  /// Returns a user's favourites before a post, the newest post first, with their version.
  package func versionedFavourites(
    of user: User.ID, before: Post.ID?, limit: Int
  ) async throws(KennelError) -> Versioned<[Post]> {
    try await versioned { connection throws(KennelError) in
      try Self.favourites(of: user, before: before, limit: limit, from: connection)
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

  private func versioned<Value: Sendable>(
    _ read: @escaping @Sendable (Connection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Versioned<Value> {
    try await database.read { [changes] connection throws(KennelError) in
      let value = try read(connection)
      return Versioned(value: value, version: try changes.version(connection))
    }
  }
}
