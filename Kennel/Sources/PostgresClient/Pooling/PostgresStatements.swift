/// What runs statements: a pool, which chooses a connection for each, or one connection.
package protocol PostgresStatements: Sendable {
  func result(of text: Statement.Text) async throws(PostgresError) -> Statement.Result
}

extension PostgresStatements {
  /// Runs a statement that returns no rows. Returns the number of rows it changed.
  ///
  /// - Parameters:
  ///   - sql: The statement, with `$1`, `$2` and so on for the values.
  ///   - values: The values.
  @discardableResult
  package func run(_ sql: StaticString, _ values: PostgresValue...) async throws(PostgresError) -> Int {
    try await result(of: .prepared(sql, values)).changedRows
  }

  /// Returns the rows of a query.
  package func rows<Value>(
    _ sql: StaticString, _ values: PostgresValue..., row read: (PostgresRow) throws(PostgresError) -> Value
  ) async throws(PostgresError) -> [Value] {
    var found: [Value] = []
    for row in try await result(of: .prepared(sql, values)).rows { found.append(try read(row)) }
    return found
  }

  /// Returns the first row of a query, or nil if there is none.
  package func first<Value>(
    _ sql: StaticString, _ values: PostgresValue..., row read: (PostgresRow) throws(PostgresError) -> Value
  ) async throws(PostgresError) -> Value? {
    guard let row = try await result(of: .prepared(sql, values)).rows.first else { return nil }
    return try read(row)
  }

  /// Runs statements that have no values and return no rows.
  package func script(_ text: String) async throws(PostgresError) { _ = try await result(of: .script(text)) }
}
