import KennelStorage

/// The index of words that searches use. It is part of each transaction that changes posts, comments, albums or names.
enum SearchIndex {
  /// Brings the words of posts up to date that triggers have noted as changed. If the index is damaged, it is rebuilt, so that
  /// it does not keep anyone from sharing photos.
  @Sendable static func update(_ connection: any RecordConnection) throws(KennelError) {
    if connection.dialect == .postgres { return try updateVectors(connection) }
    guard try connection.first("SELECT 1 FROM search_changes LIMIT 1", row: { _ in true }) != nil else {
      return
    }
    do throws(KennelError) {
      try connection.run(
        """
        DELETE FROM search WHERE rowid IN (
          SELECT entry FROM search_old_entries
          UNION ALL SELECT entry FROM search_documents WHERE id IN (SELECT post FROM search_changes)
        )
        """)
      // FTS5 writes its changes each time that a number is lower than the one before, so they are in order. LIMIT keeps SQLite
      // from ignoring that. Only the numbers are sorted, not the texts.
      try connection.run(
        """
        INSERT INTO search (rowid, caption, author, comments, dates, albums)
        SELECT d.entry, d.caption, d.author, d.comments, d.dates, d.albums FROM (
          SELECT id FROM search_documents WHERE id IN (SELECT post FROM search_changes) ORDER BY entry LIMIT -1
        ) o CROSS JOIN search_documents d ON d.id = o.id
        """)
      try forgetChanges(connection)
    } catch  where error.code == .damaged {
      try rebuild(connection)
    }
  }

  /// Returns whether the index has exactly the words of the posts, after bringing it up to date.
  static func isCurrent(_ connection: any RecordConnection) throws(KennelError) -> Bool {
    if connection.dialect == .postgres { return try areVectorsCurrent(connection) }
    do throws(KennelError) {
      try update(connection)
      let difference = try connection.first(
        """
        SELECT 1 FROM search_documents d LEFT JOIN search s ON s.rowid = d.entry
        WHERE (s.caption, s.author, s.comments, s.dates, s.albums)
          IS NOT (d.caption, d.author, d.comments, d.dates, d.albums)
        UNION ALL SELECT 1 FROM search WHERE rowid NOT IN (SELECT entry FROM search_documents) LIMIT 1
        """, row: { _ in true })
      guard difference == nil else { return false }
      // This reads the index only, although it is written as a change.
      try connection.run("INSERT INTO search (search, rank) VALUES ('integrity-check', 0)")
      return true
    } catch  where error.code == .damaged {
      return false
    }
  }

  /// Removes the words of deleted texts, which the index keeps for a while. If it is damaged, it is rebuilt.
  static func removeDeletedWords(_ connection: any RecordConnection) throws(KennelError) {
    do throws(KennelError) {
      try connection.run("INSERT INTO search (search) VALUES ('optimize')")
    } catch  where error.code == .damaged {
      try rebuild(connection)
    }
  }

  /// Rebuilds the index from the posts, with the definition in the database. Its present contents may be damaged, so they
  /// are not read.
  static func rebuild(_ connection: any RecordConnection) throws(KennelError) {
    if connection.dialect == .postgres { return try rebuildVectors(connection) }
    let definition = try connection.first(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'search'"
    ) { $0.text(0) }
    if let definition { try connection.script("DROP TABLE search; \(definition)") }
    try forgetChanges(connection)
    try connection.run(
      """
      INSERT INTO search (rowid, caption, author, comments, dates, albums)
      SELECT d.entry, d.caption, d.author, d.comments, d.dates, d.albums
      FROM (SELECT id FROM search_documents ORDER BY entry LIMIT -1) o CROSS JOIN search_documents d ON d.id = o.id
      """)
  }

  private static func forgetChanges(_ connection: any RecordConnection) throws(KennelError) {
    try connection.run("DELETE FROM search_changes")
    try connection.run("DELETE FROM search_old_entries")
  }
}
