import KennelStorage

extension KennelStore {
  /// The numbers of things in a kennel.
  package struct Counts: Sendable, Hashable {
    package var posts: Int
    package var comments: Int
    package var favourites: Int
    package var users: Int
    /// The size of all photos, and of what was taken out of them.
    package var photoBytes: Int64 = 0
  }

  /// Reads as little of the database as possible, to check that it works.
  package func touch() async throws(KennelError) {
    _ = try await database.read { connection throws(KennelError) in
      try connection.first("SELECT id FROM posts LIMIT 1") { $0.integer(0) }
    }
  }

  /// Returns the space of the file system with the photos, or nil if it is not known.
  package func space() async throws(KennelError) -> FileCalls.Space? {
    try await photos.workQueue.run { [photos] () throws(KennelError) in FileCalls.space(at: photos.path) }
  }

  /// Counts the posts, comments, favourites and users.
  package func counts() async throws(KennelError) -> Counts {
    let counts = try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT (SELECT count(*) FROM posts WHERE binned IS NULL), (SELECT count(*) FROM comments), (SELECT count(*) FROM favourites),
          (SELECT count(*) FROM users),
          (SELECT coalesce(sum(bytes), 0) FROM photos) + (SELECT coalesce(sum(bytes), 0) FROM parts)
        """
      ) { row in
        Counts(
          posts: Int(row.integer(0)), comments: Int(row.integer(1)), favourites: Int(row.integer(2)),
          users: Int(row.integer(3)), photoBytes: row.integer(4))
      }
    }
    return counts ?? Counts(posts: 0, comments: 0, favourites: 0, users: 0)
  }
}
