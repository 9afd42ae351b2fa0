import PostgresClient

/// Records in PostgreSQL that are moved.
package final class PostgresSource: RecordSource {
  private let records: PostgresRecordConnection
  package var connection: any TableConnection { records }

  package init(_ address: String) throws(KennelError) {
    records = try PostgresRecordConnection(address)
    try PostgresMoveMark.requireUsable(records)
    // All writers wait for the lock, so all statements of this transaction read the same.
    try records.begin(PostgresSchema.beginMoving)
  }

  deinit { records.close() }

  package func prepareSwitch() {}

  package func finish() throws(KennelError) {
    try PostgresMoveMark.write(.moved, records)
    try records.commit()
  }
}

/// A database of PostgreSQL to which records are moved.
package final class PostgresTarget: RecordTarget {
  private let records: PostgresRecordConnection
  package var connection: any TableConnection { records }

  /// - Parameter identity: the identity of the kennel that is moved.
  /// - Throws: `notAllowed` if the database has records that are not left of an earlier move of this kennel.
  package init(_ address: String, identity: [UInt8]) throws(KennelError) {
    records = try PostgresRecordConnection(address)
    try PostgresSchema.bringUpToDate(records)
    try records.begin(PostgresSchema.beginMoving)
    let found = try records.first("SELECT identity FROM identities WHERE through IS NULL") { $0.blob(0) }
    let isReplaceable =
      switch try PostgresMoveMark.read(records) {
      case .moving: true
      case .moved: found == identity
      case nil: found == nil
      }
    guard isReplaceable else {
      throw KennelError(
        .notAllowed,
        "The database already has a kennel. Create an empty database, for example with createdb, and move to that."
      )
    }
  }

  deinit { records.close() }

  package func commit() throws(KennelError) {
    try PostgresMoveMark.write(.moving, records)
    try records.commit()
  }

  package func finish() throws(KennelError) {
    try records.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    try PostgresMoveMark.write(nil, records)
    try records.commit()
    records.close()
  }
}

extension PostgresRecordConnection {
  /// - Parameter address: the address of the database.
  convenience init(_ address: String) throws(KennelError) {
    let place: PostgresAddress
    do throws(PostgresError) { place = try PostgresAddress(address) } catch { throw KennelError(error) }
    // Moving and checking may take long.
    self.init(place, limits: PostgresPool.Limits())
  }
}
