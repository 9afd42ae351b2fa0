import KennelStorage

/// Finds the page of a search: the newest posts before a position that have the words.
///
/// In PostgreSQL, the newest posts are looked at one by one in their order, until enough of them have the words. If these are mostly
/// older, the posts that are found are sorted. The result is always the same. The index of SQLite has the order of the times.
struct SearchPage: Sendable {
  /// The words in the language of the index.
  let expression: String
  let start: PostPosition
  let limit: Int
  /// The number of posts that are looked at one by one in PostgreSQL.
  var walkLength: Int64 = 1500

  var position: [SQLValue] { [.integer(start.localMilliseconds), .integer(start.id)] }

  /// Returns the ids of the posts, the newest first.
  func ids(_ connection: any RecordConnection) throws(KennelError) -> [Post.ID] {
    if connection.dialect == .sqlite { return try orderedIDs(connection) }
    let end = try end(connection)
    let found = try walk(to: end, connection)
    return found.count == limit || end == nil ? found : try sorted(connection)
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
    try connection.rows(
      """
      SELECT post FROM search WHERE words @@ CAST(? AS tsquery) AND (taken_local, post) < (?, ?)
      ORDER BY taken_local DESC, post DESC LIMIT ?
      """, values: [.text(expression)] + position + [.integer(Int64(limit))], row: { $0.integer(0) })
  }
}
