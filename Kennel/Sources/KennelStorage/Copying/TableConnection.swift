/// A connection that reads and writes any table of a kennel, to copy all of them to another database.
package protocol TableConnection: RecordConnection {
  /// Passes on all rows of a table, in no particular order. The values have the order of the columns.
  func forEachRow(
    of table: TableShape, _ body: ([SQLValue]) throws(KennelError) -> Void
  ) throws(KennelError)

  /// Removes the rows of all tables, and prepares for many new ones. A transaction must have begun.
  func beginFilling(_ tables: [TableShape]) throws(KennelError)

  /// Adds rows to a table.
  func insert(_ rows: [[SQLValue]], into table: TableShape) throws(KennelError)

  /// Ends what ``beginFilling(_:)`` has begun, and checks the references between the tables.
  func endFilling(_ tables: [TableShape]) throws(KennelError)

  /// Returns the last number that the database gave to a row, for each table that it numbers. A number is not used again when its row
  /// was deleted.
  func lastNumbers() throws(KennelError) -> [String: Int64]

  /// Sets the last numbers of the tables that this database numbers, at least to those of their rows.
  func setLastNumbers(_ numbers: [String: Int64]) throws(KennelError)
}
