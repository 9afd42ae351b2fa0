import KennelStorage

/// Finds the page of a search: the newest posts before a position that have the words.
///
/// In PostgreSQL, the newest posts are looked at one by one in their order, until enough of them have the words. If these are mostly
/// older, the posts that are found are sorted. The result is always the same. SQLite always sorts them: the beginning of a word
/// costs its index as much for one post as for all.
struct SearchPage: Sendable {
  /// The words in the language of the index.
  let expression: String
  let start: PostPosition
  let limit: Int
  /// The number of posts that are looked at one by one.
  var walkLength: Int64 = 1500

  private var position: [SQLValue] { [.integer(start.localMilliseconds), .integer(start.id)] }

  /// Returns the ids of the posts, the newest first.
  func ids(_ connection: any RecordConnection) throws(KennelError) -> [Post.ID] {
    if connection.dialect == .postgres {
      let end = try end(connection)
      let found = try walk(to: end, connection)
      if found.count == limit || end == nil { return found }
    }
    return try sorted(connection)
  }

  /// Returns the position of the last post to look at, or nil if the list is shorter.
  private func end(_ connection: any RecordConnection) throws(KennelError) -> PostPosition? {
    try connection.first(
      """
      SELECT taken_local, id FROM posts WHERE binned IS NULL AND (taken_local, id) < (?, ?)
      ORDER BY taken_local DESC, id DESC LIMIT 1 OFFSET ?
      """, .integer(start.localMilliseconds), .integer(start.id), .integer(max(walkLength, 1) - 1)
    ) { PostPosition(localMilliseconds: $0.integer(0), id: $0.integer(1)) }
  }

  private func walk(
    to end: PostPosition?, _ connection: any RecordConnection
  ) throws(KennelError) -> [Post.ID] {
    let values: [SQLValue] =
      position + [
        .integer(end?.localMilliseconds ?? .min), .integer(end?.id ?? .min), .text(expression),
        .integer(Int64(limit)),
      ]
    // A subquery with a value is evaluated for each post.
    return try connection.rows(
      """
      SELECT id FROM posts WHERE binned IS NULL AND (taken_local, id) < (?, ?) AND (taken_local, id) >= (?, ?)
        AND (SELECT words @@ CAST(? AS tsquery) FROM search WHERE post = posts.id)
      ORDER BY taken_local DESC, id DESC LIMIT ?
      """, values: values, row: { $0.integer(0) })
  }

  private func sorted(_ connection: any RecordConnection) throws(KennelError) -> [Post.ID] {
    let values: [SQLValue] = [.text(expression)] + position + [.integer(Int64(limit))]
    switch connection.dialect {
    case .sqlite:
      // CROSS JOIN makes SQLite begin with the index of words.
      return try connection.rows(
        """
        SELECT p.id FROM search CROSS JOIN posts p
        WHERE p.id = search.rowid AND search MATCH ? AND p.binned IS NULL AND (p.taken_local, p.id) < (?, ?)
        ORDER BY p.taken_local DESC, p.id DESC LIMIT ?
        """, values: values, row: { $0.integer(0) })
    case .postgres:
      return try connection.rows(
        """
        SELECT post FROM search WHERE words @@ CAST(? AS tsquery) AND (taken_local, post) < (?, ?)
        ORDER BY taken_local DESC, post DESC LIMIT ?
        """, values: values, row: { $0.integer(0) })
    }
  }
}
