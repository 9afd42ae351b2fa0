import Foundation

extension Accounts {
  /// What becomes of the posts and comments of somebody who goes. Favourites always go: a heart is a person's.
  package enum Legacy: Sendable, Hashable {
    /// They go too.
    case removed
    /// They are another user's from now on.
    case handed(to: User.ID)
  }

  /// What went with a user, or to another one.
  package struct Departure: Sendable, Hashable {
    package var posts = 0
    package var comments = 0
    package var favourites = 0
  }

  /// What would go with a user now.
  package func belongings(of user: User.ID) async throws(KennelError) -> Departure {
    try await database.read { connection throws(KennelError) in
      func count(_ query: StaticString) throws(KennelError) -> Int {
        try connection.first(query, .integer(user)) { Int($0.integer(0)) } ?? 0
      }
      return Departure(
        posts: try count("SELECT count(*) FROM posts WHERE author = ?"),
        comments: try count("SELECT count(*) FROM comments WHERE author = ?"),
        favourites: try count("SELECT count(*) FROM favourites WHERE user = ?"))
    }
  }

  /// Removes a user, all at once: sessions, favourites, and posts and comments unless another user gets them.
  ///
  /// - Throws: `noSuchUser`, or `notAllowed` for the last owner.
  package func removeUser(_ user: User.ID, legacy: Legacy = .removed) async throws(KennelError) -> Departure {
    let now = clock.now()
    let departure = try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.requireAnotherOwner(than: user, connection)
      var departure = Departure()
      departure.favourites = try removeFavourites(of: user, at: now, in: transaction)
      switch legacy {
      case .removed:
        departure.posts = try removePosts(of: user, at: now, in: transaction)
        departure.comments = try removeComments(of: user, at: now, in: transaction)
      case .handed(let heir):
        guard heir != user else {
          throw KennelError(.notAllowed, "Posts are to be kept by another user than the one who goes.")
        }
        let isThere = try connection.first(
          "SELECT 1 FROM users WHERE id = ?", .integer(heir), row: { _ in true })
        guard isThere != nil else { throw Self.noSuchUser }
        departure.posts = try connection.run(
          "UPDATE posts SET author = ? WHERE author = ?", .integer(heir), .integer(user))
        departure.comments = try connection.run(
          "UPDATE comments SET author = ? WHERE author = ?", .integer(heir), .integer(user))
      }
      try connection.run("DELETE FROM users WHERE id = ?", .integer(user))
      return departure
    }
    forgetProofs(of: user)
    return departure
  }

  /// Makes somebody an owner, or a member.
  ///
  /// - Throws: `noSuchUser`, or `notAllowed` when no owner would be left.
  package func setRole(_ role: User.Role, of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      if role != .owner { try Self.requireAnotherOwner(than: user, connection) }
      let count = try connection.run(
        "UPDATE users SET role = ? WHERE id = ?", .text(role.rawValue), .integer(user))
      guard count == 1 else { throw Self.noSuchUser }
    }
  }

  private static func requireAnotherOwner(than user: User.ID, _ connection: Connection) throws(KennelError) {
    let role = try connection.first("SELECT role FROM users WHERE id = ?", .integer(user)) { $0.text(0) }
    guard let role else { throw noSuchUser }
    guard role == User.Role.owner.rawValue else { return }
    let other = try connection.first(
      "SELECT 1 FROM users WHERE role = 'owner' AND id <> ?", .integer(user), row: { _ in true })
    guard other != nil else {
      throw KennelError(.notAllowed, "That is the only owner. Make somebody else an owner first.")
    }
  }

  private func removeFavourites(
    of user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    let connection = transaction.connection
    let favoured = try connection.rows("SELECT post FROM favourites WHERE user = ?", .integer(user)) {
      $0.integer(0)
    }
    try connection.run("DELETE FROM favourites WHERE user = ?", .integer(user))
    for post in favoured {
      let count = try Posts.favouriteCount(post, connection)
      try posts.changes.record(.favourites(count: count), post: post, at: now, in: transaction)
    }
    return favoured.count
  }

  private func removePosts(
    of user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    let own = try transaction.connection.rows("SELECT id, photo FROM posts WHERE author = ?", .integer(user))
    {
      (id: $0.integer(0), photo: $0.blob(1))
    }
    for post in own { try posts.remove(post.id, photo: post.photo, at: now, in: transaction) }
    return own.count
  }

  /// Those under the user's own posts are gone already.
  private func removeComments(
    of user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    let connection = transaction.connection
    let own = try connection.rows("SELECT id, post FROM comments WHERE author = ?", .integer(user)) {
      (id: $0.integer(0), post: $0.integer(1))
    }
    for comment in own {
      try connection.run("DELETE FROM comments WHERE id = ?", .integer(comment.id))
      let count = try Posts.commentCount(comment.post, connection)
      try posts.changes.record(
        .commentDeleted(comment: comment.id, count: count), post: comment.post, at: now, in: transaction)
    }
    return own.count
  }
}
