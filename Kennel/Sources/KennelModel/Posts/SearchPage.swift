import KennelStorage

/// Finds the page of a search: the newest posts before a position that have the words.
///
/// In PostgreSQL, the newest posts are looked at one by one in their order, until enough of them have the words. If these are mostly
/// older, one period after the other is searched with the index (`PostgresSchema.searchPeriodsScript`). The result is always the same.
/// The index of SQLite has the order of the times.
struct SearchPage: Sendable {
  /// The words in the language of the index.
  let expression: String
  /// The words of posts of one period. Only PostgreSQL needs it.
  let periods: SearchPeriods
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
    guard found.count < limit, let end else { return found }
    return found + (try older(than: end, limit: limit - found.count, connection))
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

  /// Each period is a step of a loop, which ends with the last post that is needed. The function `ts_match_vq` is the operator `@@`, but
  /// does not use the index: for the beginning of a word, the index would put all posts of all its words together in each step.
  private func older(
    than end: PostPosition, limit: Int, _ connection: any RecordConnection
  ) throws(KennelError) -> [Post.ID] {
    try connection.rows(
      """
      WITH RECURSIVE periods (period) AS (
        SELECT (
          SELECT taken_local >> 33 FROM posts WHERE binned IS NULL AND (taken_local, id) < (?1, ?2)
          ORDER BY taken_local DESC, id DESC LIMIT 1
        )
        UNION ALL SELECT (
          SELECT taken_local >> 33 FROM posts WHERE binned IS NULL AND taken_local < period << 33
          ORDER BY taken_local DESC, id DESC LIMIT 1
        ) FROM periods WHERE period IS NOT NULL
      )
      SELECT post FROM periods CROSS JOIN LATERAL (
        SELECT post FROM search
        WHERE words @@ CAST(replace(?3, '#', '#' || period || '#') AS tsquery) AND (taken_local, post) < (?1, ?2)
          AND (CAST(?4 AS text) IS NULL OR ts_match_vq(words, CAST(CAST(?4 AS text) AS tsquery)))
        ORDER BY taken_local DESC, post DESC LIMIT ?5
      ) found LIMIT ?5
      """,
      values: [
        .integer(end.localMilliseconds), .integer(end.id), .text(periods.expression),
        periods.isComplete ? .null : .text(expression), .integer(Int64(limit)),
      ], row: { $0.integer(0) })
  }
}
