/// A value as a database stores it.
package enum SQLValue: Sendable, Hashable {
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  case null
}

/// The databases for which a few statements differ.
package enum SQLDialect: Sendable {
  case sqlite
  case postgres
}

/// A connection to the database of a kennel, which one thread uses at a time. The calls block.
///
/// The placeholders in a statement are `?` in the order of the values, or `?1`, `?2` and so on, but not both.
package protocol RecordConnection: AnyObject {
  /// Which form of the statements that are not portable is right.
  var dialect: SQLDialect { get }
  /// Whether a transaction has begun and not ended.
  var isInTransaction: Bool { get }

  /// Runs statements without values that return no rows.
  func script(_ text: String) throws(KennelError)
  /// Runs a statement that returns no rows. Returns the number of rows it changed.
  func run(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int
  /// Runs a statement that returns a number, such as the id of a new row by `RETURNING id`.
  func runReturningNumber(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int64
  /// Returns the rows of a query.
  func rows<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> [Value]
  /// Returns the first row of a query, or nil if there is none.
  func first<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> Value?
  /// Commits the transaction.
  func commit() throws(KennelError)
  /// Ends the transaction without an effect, if there is one. If even this fails, the next transaction reports the error.
  func rollBack()
  /// Undoes the changes since the savepoint `job`, which stays.
  func rollBackToSavepoint() throws(KennelError)
}

extension RecordConnection {
  /// Runs a statement that returns no rows. Returns the number of rows it changed.
  @discardableResult
  package func run(_ sql: StaticString, _ values: SQLValue...) throws(KennelError) -> Int {
    try run(sql, values: values)
  }

  /// Runs a statement that returns a number, such as the id of a new row by `RETURNING id`.
  package func runReturningNumber(_ sql: StaticString, _ values: SQLValue...) throws(KennelError) -> Int64 {
    try runReturningNumber(sql, values: values)
  }

  /// Returns the rows of a query.
  package func rows<Value>(
    _ sql: StaticString, _ values: SQLValue..., row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> [Value] {
    try rows(sql, values: values, row: read)
  }

  /// Returns the first row of a query, or nil if there is none.
  package func first<Value>(
    _ sql: StaticString, _ values: SQLValue..., row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> Value? {
    try first(sql, values: values, row: read)
  }
}

/// The columns of a row, numbered from 0.
protocol RecordColumns {
  func integer(_ column: Int32) -> Int64
  func isNull(_ column: Int32) -> Bool
  func text(_ column: Int32) -> String
  func blob(_ column: Int32) -> [UInt8]
}

/// A row of a query. It is valid until the query advances.
package struct RecordRow: ~Copyable {
  private enum Columns {
    /// The row that a statement of SQLite has reached.
    case sqlite(OpaquePointer)
    case other(any RecordColumns)
  }

  private let columns: Columns

  init(statement: OpaquePointer) { columns = .sqlite(statement) }

  init(_ columns: any RecordColumns) { self.columns = .other(columns) }

  /// The number in a column; 0 for NULL.
  package func integer(_ column: Int32) -> Int64 {
    switch columns {
    case .sqlite(let statement): SQLiteColumns.integer(statement, column)
    case .other(let columns): columns.integer(column)
    }
  }

  package func isNull(_ column: Int32) -> Bool {
    switch columns {
    case .sqlite(let statement): SQLiteColumns.isNull(statement, column)
    case .other(let columns): columns.isNull(column)
    }
  }

  /// The complete text; empty for NULL.
  package func text(_ column: Int32) -> String {
    switch columns {
    case .sqlite(let statement): SQLiteColumns.text(statement, column)
    case .other(let columns): columns.text(column)
    }
  }

  /// The bytes of a column; empty for NULL.
  package func blob(_ column: Int32) -> [UInt8] {
    switch columns {
    case .sqlite(let statement): SQLiteColumns.blob(statement, column)
    case .other(let columns): columns.blob(column)
    }
  }
}
