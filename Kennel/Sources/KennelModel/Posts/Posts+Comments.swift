import Foundation
import KennelStorage

extension Posts {
  /// Adds a comment.
  ///
  /// - Throws: `badText`, `noSuchPost` or `noSuchUser`.
  package func addComment(
    _ text: String, to post: Post.ID, author: User.ID
  ) async throws(KennelError) -> Comment {
    try TextRules.check(text, TextRules.comment, name: "comment")
    try TextRules.checkNotBlank(text, name: "comment")
    let now = clock.now()
    return try await database.write { [changes] transaction throws(KennelError) in
      let connection = transaction.connection
      _ = try Self.author(of: post, connection)
      let writer = try connection.first(
        """
        SELECT name, (SELECT version FROM user_pictures WHERE "user" = users.id) FROM users WHERE id = ?
        """, .integer(author)
      ) { (name: $0.text(0), picture: $0.isNull(1) ? nil : $0.integer(1)) }
      guard let writer else { throw KennelError.noSuchUser }
      let id = try connection.runReturningNumber(
        "INSERT INTO comments (post, author, text, created) VALUES (?, ?, ?, ?) RETURNING id",
        .integer(post), .integer(author), .text(text), .integer(now.milliseconds))
      let count = try Self.commentCount(post, connection)
      try changes.record(.commented(comment: id, count: count), post: post, at: now, in: transaction)
      return Comment(
        id: id, post: post, author: author, authorName: writer.name, authorPicture: writer.picture,
        text: text,
        created: Date(milliseconds: now.milliseconds))
    }
  }

  /// Returns the comments after a given one, the oldest first.
  ///
  /// - Throws: `noSuchPost`.
  package func comments(
    on post: Post.ID, after: Comment.ID? = nil, limit: Int = 50
  ) async throws(KennelError) -> [Comment] {
    try await database.read { connection throws(KennelError) in
      _ = try Self.author(of: post, connection)
      return try Self.comments(on: post, after: after, limit: limit, from: connection)
    }
  }

  static func comments(
    on post: Post.ID, after: Comment.ID?, limit: Int, from connection: any RecordConnection
  ) throws(KennelError) -> [Comment] {
    try connection.rows(
      """
      SELECT c.id, c.post, c.author, u.name, c.text, c.created,
        (SELECT version FROM user_pictures WHERE "user" = c.author)
      FROM comments c JOIN users u ON u.id = c.author
      WHERE c.post = ? AND c.id > ? ORDER BY c.id LIMIT ?
      """, .integer(post), .integer(after ?? 0), .integer(Int64(min(max(limit, 1), maximumPageSize)))
    ) { row in
      Comment(
        id: row.integer(0), post: row.integer(1), author: row.integer(2), authorName: row.text(3),
        authorPicture: row.isNull(6) ? nil : row.integer(6), text: row.text(4),
        created: Date(milliseconds: row.integer(5)))
    }
  }

  /// Deletes a comment.
  ///
  /// - Throws: `noSuchComment`, or `notAllowed` if the user is neither its author, nor the post's author, nor an owner.
  package func deleteComment(_ id: Comment.ID, by user: User.ID) async throws(KennelError) {
    let now = clock.now()
    try await database.write { [changes] transaction throws(KennelError) in
      let connection = transaction.connection
      let found = try connection.first(
        "SELECT c.post, c.author, p.author FROM comments c JOIN posts p ON p.id = c.post WHERE c.id = ?",
        .integer(id)
      ) { row in (post: row.integer(0), authors: [row.integer(1), row.integer(2)]) }
      guard let found else {
        throw KennelError(.noSuchComment, "The comment does not exist. It may have been deleted.")
      }
      try Self.require(user, oneOf: found.authors, connection)
      try connection.run("DELETE FROM comments WHERE id = ?", .integer(id))
      let count = try Self.commentCount(found.post, connection)
      try changes.record(
        .commentDeleted(comment: id, count: count), post: found.post, at: now, in: transaction)
    }
  }

  static func commentCount(_ post: Post.ID, _ connection: any RecordConnection) throws(KennelError) -> Int {
    Int(
      try connection.first("SELECT count(*) FROM comments WHERE post = ?", .integer(post)) { $0.integer(0) }
        ?? 0)
  }
}
