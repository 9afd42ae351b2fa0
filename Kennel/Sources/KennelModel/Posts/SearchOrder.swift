import KennelStorage

/// The numbers of the rows of SQLite's index of words. They put photos of the same eight seconds together, and those of later seconds
/// before those of earlier ones. FTS5 returns the rows that it finds in the order of their numbers, and needs not read the others.
///
/// The high 32 bits of a number are the time, counted backwards in steps of 2¹³ milliseconds. The low 32 bits are the id of the post,
/// also counted backwards. `Migration.searchOrder` computes the same in SQL.
enum SearchOrder {
  /// The low bits of a number.
  static let idMask: Int64 = (1 << 32) - 1
  /// The times for which there are numbers of their own: those of the years 1413 to 2527. All earlier ones are together,
  /// and all later ones.
  private static let times: ClosedRange<Int64> = -(1 << 44) + (1 << 13)...(1 << 44) - 1

  /// Returns the lowest number that a post of this time, or of the same seconds, can have.
  static func first(localMilliseconds: Int64) -> Int64 {
    let time = min(max(localMilliseconds, times.lowerBound), times.upperBound)
    return -(time >> 13) << 32
  }
}

extension SearchPage {
  private typealias Row = (entry: Int64, position: PostPosition)

  /// Returns the ids of the posts, the newest first, from SQLite.
  ///
  /// Within some seconds, the index has the order of ids. So the last of these seconds are read to their end.
  func orderedIDs(_ connection: any RecordConnection) throws(KennelError) -> [Post.ID] {
    // CROSS JOIN makes SQLite begin with the index of words, whose order it uses.
    var rows: [Row] = try connection.rows(
      """
      SELECT search.rowid, p.taken_local, p.id FROM search CROSS JOIN posts p
      WHERE search MATCH ? AND search.rowid >= ? AND p.id = 4294967295 - (search.rowid & 4294967295)
        AND p.binned IS NULL AND (p.taken_local, p.id) < (?, ?)
      ORDER BY search.rowid LIMIT ?
      """,
      values: [.text(expression), .integer(SearchOrder.first(localMilliseconds: start.localMilliseconds))]
        + position + [.integer(Int64(limit))],
      row: { ($0.integer(0), PostPosition(localMilliseconds: $0.integer(1), id: $0.integer(2))) })
    var rest: [Post.ID] = []
    if rows.count == limit, let last = rows.last {
      let seconds = (last.entry & ~SearchOrder.idMask)...(last.entry | SearchOrder.idMask)
      rows.removeAll { seconds.contains($0.entry) }
      rest = try sorted(seconds, limit: limit - rows.count, connection)
    }
    let first = rows.map(\.position).sorted {
      ($0.localMilliseconds, $0.id) > ($1.localMilliseconds, $1.id)
    }
    return first.map(\.id) + rest
  }

  private func sorted(
    _ entries: ClosedRange<Int64>, limit: Int, _ connection: any RecordConnection
  ) throws(KennelError) -> [Post.ID] {
    try connection.rows(
      """
      SELECT p.id FROM search CROSS JOIN posts p
      WHERE search MATCH ? AND search.rowid BETWEEN ? AND ? AND p.id = 4294967295 - (search.rowid & 4294967295)
        AND p.binned IS NULL AND (p.taken_local, p.id) < (?, ?)
      ORDER BY p.taken_local DESC, p.id DESC LIMIT ?
      """,
      values: [.text(expression), .integer(entries.lowerBound), .integer(entries.upperBound)] + position
        + [.integer(Int64(limit))], row: { $0.integer(0) })
  }
}
