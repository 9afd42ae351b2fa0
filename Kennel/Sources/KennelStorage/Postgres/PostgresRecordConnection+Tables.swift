import PostgresClient

extension PostgresRecordConnection: TableConnection {
  /// The number of rows that are read in one piece. A row may have a picture of a user.
  private static let pageSize = 200
  /// The size of a statement that adds rows, in bytes. A statement with one row may be larger.
  private static let statementSize = 1 << 20

  func forEachRow(
    of table: TableShape, _ body: ([SQLValue]) throws(KennelError) -> Void
  ) throws(KennelError) {
    try script("DECLARE kennel_rows NO SCROLL CURSOR FOR \(table.query)")
    while true {
      let rows = try result(of: .script("FETCH \(Self.pageSize) FROM kennel_rows")).rows
      for row in rows { try body(Self.values(row, table.columns)) }
      if rows.count < Self.pageSize { break }
    }
    try script("CLOSE kennel_rows")
  }

  private static func values(_ row: PostgresRow, _ columns: [TableShape.Column]) -> [SQLValue] {
    columns.enumerated().map { index, column in
      if row.isNull(index) { return .null }
      return switch column.kind {
      case .integer: .integer(row.integer(index))
      case .text: .text(TextWithNUL.decoded(row.text(index)))
      case .blob: .blob(row.blob(index))
      }
    }
  }

  func beginFilling(_ tables: [TableShape]) throws(KennelError) {
    let names = tables.map { "\"\($0.name)\"" } + ["search", "search_changes"]
    try script("SET LOCAL standard_conforming_strings = on; TRUNCATE \(names.joined(separator: ", "))")
    // The index of the search is made at the end, for all posts together.
    for table in tables { try script("ALTER TABLE \"\(table.name)\" DISABLE TRIGGER USER") }
  }

  func insert(_ rows: [[SQLValue]], into table: TableShape) throws(KennelError) {
    let beginning = "INSERT INTO \"\(table.name)\" (\(table.columnList)) VALUES "
    var statement = beginning
    for row in rows {
      if statement.utf8.count > Self.statementSize {
        try script(statement)
        statement = beginning
      }
      if statement.utf8.count > beginning.utf8.count { statement += "," }
      statement += "("
      for (index, value) in row.enumerated() {
        if index > 0 { statement += "," }
        statement += Self.literal(value)
      }
      statement += ")"
    }
    if statement.utf8.count > beginning.utf8.count { try script(statement) }
  }

  /// Returns a value as a part of a statement. In such a text, only the apostrophe has a meaning.
  private static func literal(_ value: SQLValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .blob(let bytes): "'\\x\(Hexadecimal.text(bytes))'"
    case .text(let text): "'" + TextWithNUL.encoded(text).doubling("'") + "'"
    }
  }

  /// PostgreSQL has checked the references of each row.
  func endFilling(_ tables: [TableShape]) throws(KennelError) {
    for table in tables { try script("ALTER TABLE \"\(table.name)\" ENABLE TRIGGER USER") }
  }

  func lastNumbers() throws(KennelError) -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    for (table, _, sequence) in try sequences() {
      let row = try result(of: .script("SELECT last_value, is_called FROM \(sequence)")).rows.first
      guard let row else { continue }
      numbers[table] = row.boolean(1) ? row.integer(0) : row.integer(0) &- 1
    }
    return numbers
  }

  func setLastNumbers(_ numbers: [String: Int64]) throws(KennelError) {
    let largest = try largestNumbers()
    for (table, _, sequence) in try sequences() {
      let number = max(numbers[table] ?? 0, largest[table] ?? 0)
      // A sequence begins at 1.
      _ = try result(of: .script("SELECT setval('\(sequence)', \(max(number, 1)), \(number >= 1))"))
    }
  }

  /// Returns the largest number of a row, for each table that the database numbers.
  func largestNumbers() throws(KennelError) -> [String: Int64] {
    var numbers: [String: Int64] = [:]
    for (table, column, _) in try sequences() {
      let query = Statement.Text.script("SELECT max(\"\(column)\") FROM \"\(table)\"")
      numbers[table] = try result(of: query).rows.first?.integer(0) ?? 0
    }
    return numbers
  }

  private func sequences() throws(KennelError) -> [(table: String, column: String, sequence: String)] {
    try rows(
      """
      SELECT table_name, column_name, pg_get_serial_sequence(quote_ident(table_name), column_name)
      FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'
      """
    ) { ($0.text(0), $0.text(1), $0.text(2)) }
  }
}
