extension Connection: TableConnection {
  /// Makes an empty kennel in an empty or new file, and begins a transaction that fills it. The file is complete when the transaction
  /// is committed and the file synced.
  package static func fillingNewFile(at path: String) throws(KennelError) -> Connection {
    try FileCalls.makeFile(path)
    let connection = try Connection(path: path, access: .copying, busyTimeout: .zero)
    try Migration.bringUpToDate(connection, path: path, migrations: Migration.all)
    // The references are checked at the end. Nobody uses the file before it is complete.
    try connection.script(
      "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN;")
    return connection
  }

  /// Begins to read a kennel that nobody changes until the connection is closed.
  ///
  /// - Throws: `busy` if another program uses the file.
  package static func readingExclusively(_ path: String) throws(KennelError) -> Connection {
    let connection = try Connection(path: path, access: .writing, busyTimeout: .seconds(5))
    try Migration.requireCurrent(connection, path: path, migrations: Migration.all)
    // The file gets the changes that are in the log, which is then empty.
    let isBusy = try connection.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) != 0 } ?? true
    guard !isBusy else {
      throw KennelError(
        .busy, "Another program is reading the database at \(path). Try again when it has ended.")
    }
    try connection.run("BEGIN IMMEDIATE")
    return connection
  }

  package func forEachRow(
    of table: TableShape, _ body: ([SQLValue]) throws(KennelError) -> Void
  ) throws(KennelError) {
    try forEachRow(table.query, columns: table.columns.count, body)
  }

  package func beginFilling(_ tables: [TableShape]) throws(KennelError) {
    for table in tables.reversed() { try script("DELETE FROM \"\(table.name)\"") }
  }

  package func insert(_ rows: [[SQLValue]], into table: TableShape) throws(KennelError) {
    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
    try run("INSERT INTO \"\(table.name)\" (\(table.columnList)) VALUES (\(places))", forEach: rows)
  }

  package func endFilling(_ tables: [TableShape]) throws(KennelError) {
    guard let table = try first("PRAGMA foreign_key_check", row: { $0.text(0) }) else { return }
    throw KennelError(
      .damaged, "A row of the table \(table) refers to a row that does not exist. Run kennel check.")
  }

  package func lastNumbers() throws(KennelError) -> [String: Int64] {
    let rows = try rows("SELECT name, seq FROM sqlite_sequence") { ($0.text(0), $0.integer(1)) }
    return Dictionary(rows) { max($0, $1) }
  }

  package func setLastNumbers(_ numbers: [String: Int64]) throws(KennelError) {
    let numbered = try rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
    ) { $0.text(0) }
    for table in numbered {
      guard let number = numbers[table] else { continue }
      try run(
        """
        INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
        """, .text(table))
      try run(
        "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", .text(table), .integer(number))
    }
  }
}
