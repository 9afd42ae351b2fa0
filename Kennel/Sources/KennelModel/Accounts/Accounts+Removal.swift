import Foundation
import KennelStorage

extension Accounts {
  /// What happens to the posts and comments of a removed user. The user's favourites are always deleted.
  package enum ContentPolicy: Sendable, Hashable {
    /// They are deleted too.
    case removed
    /// They are transferred to another user.
    case transferred(to: User.ID)
  }

  /// The number of items that were deleted with a user, or transferred to another user.
  package struct RemovedContent: Sendable, Hashable {
    package var posts = 0
    package var comments = 0
    package var favourites = 0
  }

  /// Returns the number of items that belong to a user now.
  package func belongings(of user: User.ID) async throws(KennelError) -> RemovedContent {
    try await database.read { connection throws(KennelError) in
      func count(_ query: StaticString) throws(KennelError) -> Int {
        try connection.first(query, .integer(user)) { Int($0.integer(0)) } ?? 0
      }
      return RemovedContent(
        posts: try count("SELECT count(*) FROM posts WHERE author = ?"),
        comments: try count("SELECT count(*) FROM comments WHERE author = ?"),
        favourites: try count(#"SELECT count(*) FROM favourites WHERE "user" = ?"#))
    }
  }

  /// Removes a user in one transaction: the sessions, the favourites, and the posts and comments unless they are
  /// transferred to another user. Albums may contain photos of others, so they are never deleted with a user: the recipient of
  /// the posts gets them, or else the first owner.
  ///
  /// - Throws: `noSuchUser`, or `notAllowed` for the last owner.
  package func removeUser(_ user: User.ID, contentPolicy: ContentPolicy = .removed) async throws(KennelError)
    -> RemovedContent
  {
    let now = clock.now()
    let removed = try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.requireAnotherOwner(than: user, connection)
      var removed = RemovedContent()
      removed.favourites = try removeFavourites(of: user, at: now, in: transaction)
      switch contentPolicy {
      case .removed:
        removed.posts = try removePosts(of: user, at: now, in: transaction)
        removed.comments = try removeComments(of: user, at: now, in: transaction)
        try connection.run(
          """
          UPDATE albums SET owner = (SELECT id FROM users WHERE role = 'owner' AND id <> ?1 ORDER BY id LIMIT 1)
          WHERE owner = ?1
          """, .integer(user))
      case .transferred(let recipient):
        guard recipient != user else {
          throw KennelError(
            .notAllowed, "The posts cannot be transferred to the user who is removed. Choose another user.")
        }
        let isThere = try connection.first(
          "SELECT 1 FROM users WHERE id = ?", .integer(recipient), row: { _ in true })
        guard isThere != nil else { throw KennelError.noSuchUser }
        removed.posts = try connection.run(
          "UPDATE posts SET author = ? WHERE author = ?", .integer(recipient), .integer(user))
        removed.comments = try connection.run(
          "UPDATE comments SET author = ? WHERE author = ?", .integer(recipient), .integer(user))
        try connection.run(
          "UPDATE albums SET owner = ? WHERE owner = ?", .integer(recipient), .integer(user))
      }
      try connection.run("DELETE FROM users WHERE id = ?", .integer(user))
      try ContentVersion.noteChangedNames(connection)
      return removed
    }
    discardVerifiedCredentials(of: user)
    return removed
  }

  /// Changes the role of a user. Invitations by a user who is no longer an owner are revoked.
  ///
  /// - Throws: `noSuchUser`, or `notAllowed` if there would be no owner left.
  package func setRole(_ role: User.Role, of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      if role != .owner { try Self.requireAnotherOwner(than: user, connection) }
      let count = try connection.run(
        "UPDATE users SET role = ? WHERE id = ?", .text(role.rawValue), .integer(user))
      guard count == 1 else { throw KennelError.noSuchUser }
      if role != .owner {
        try connection.run("DELETE FROM account_links WHERE creator = ?", .integer(user))
      }
    }
  }

  private static func requireAnotherOwner(than user: User.ID, _ connection: any RecordConnection)
    throws(KennelError)
  {
    let role = try connection.first("SELECT role FROM users WHERE id = ?", .integer(user)) { $0.text(0) }
    guard let role else { throw KennelError.noSuchUser }
    guard role == User.Role.owner.rawValue else { return }
    let other = try connection.first(
      "SELECT 1 FROM users WHERE role = 'owner' AND id <> ?", .integer(user), row: { _ in true })
    guard other != nil else {
      throw KennelError(.notAllowed, "This user is the only owner. Make another user an owner first.")
    }
  }

  /// The number of rows that are read at a time. A result has a maximum number of rows.
  private static let pageSize = 500

  /// Calls a closure until it has removed all rows. It removes a page of them, and returns their number. Returns the number of all.
  private static func inPages(_ removePage: () throws(KennelError) -> Int) throws(KennelError) -> Int {
    var total = 0
    while true {
      let count = try removePage()
      total += count
      if count < pageSize { return total }
    }
  }

  private func removeFavourites(
    of user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    let connection = transaction.connection
    return try Self.inPages { () throws(KennelError) in
      let favoured = try connection.rows(
        #"SELECT post FROM favourites WHERE "user" = ? ORDER BY post LIMIT ?"#, .integer(user),
        .integer(Int64(Self.pageSize))
      ) { $0.integer(0) }
      guard let last = favoured.last else { return 0 }
      try connection.run(
        #"DELETE FROM favourites WHERE "user" = ? AND post <= ?"#, .integer(user), .integer(last))
      for post in favoured {
        let count = try Posts.favouriteCount(post, connection)
        try posts.changes.record(.favourites(count: count), post: post, at: now, in: transaction)
      }
      return favoured.count
    }
  }

  private func removePosts(
    of user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    try Self.inPages { () throws(KennelError) in
      let own = try transaction.connection.rows(
        "SELECT id, photo FROM posts WHERE author = ? ORDER BY id LIMIT ?", .integer(user),
        .integer(Int64(Self.pageSize))
      ) { (id: $0.integer(0), photo: $0.blob(1)) }
      for post in own { try posts.remove(post.id, photo: post.photo, at: now, in: transaction) }
      return own.count
    }
  }

  /// Removes the user's remaining comments. Comments on the user's own posts have already been deleted.
  private func removeComments(
    of user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    let connection = transaction.connection
    return try Self.inPages { () throws(KennelError) in
      let own = try connection.rows(
        "SELECT id, post FROM comments WHERE author = ? ORDER BY id LIMIT ?", .integer(user),
        .integer(Int64(Self.pageSize))
      ) { (id: $0.integer(0), post: $0.integer(1)) }
      for comment in own {
        try connection.run("DELETE FROM comments WHERE id = ?", .integer(comment.id))
        let count = try Posts.commentCount(comment.post, connection)
        try posts.changes.record(
          .commentDeleted(comment: comment.id, count: count), post: comment.post, at: now, in: transaction)
      }
      return own.count
    }
  }
}
