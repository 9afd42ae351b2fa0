import PostgresClient

/// A connection to PostgreSQL that one thread uses at a time. After it was lost, it is made again with the next transaction.
final class PostgresRecordConnection: RecordConnection {
  /// How long connecting and a statement may take, for what people wait for. A statement waits for other writers at most 10 seconds
  /// (``PostgresSchema/beginWriting``).
  static let limits: PostgresPool.Limits = {
    var limits = PostgresPool.Limits()
    limits.connectTime = .seconds(5)
    limits.statementTime = .seconds(15)
    return limits
  }()

  private let address: PostgresAddress
  private let limits: PostgresPool.Limits
  private let outage: RecentOutage
  /// Whether the server has accepted this address before.
  private var wasAccepted: Bool
  private var connection: BlockingPostgresConnection?
  private(set) var isInTransaction = false
  /// Whether a statement of the transaction failed. PostgreSQL would report its commit as a success although it rolls back.
  private var hasFailed = false

  /// - Parameters:
  ///   - limits: how long connecting and a statement may take.
  ///   - outage: what all connections to this server remember of it.
  ///   - wasAccepted: whether the server has accepted another connection with this address before. Then no error means that the
  ///     address is wrong.
  init(
    _ address: PostgresAddress, limits: PostgresPool.Limits = PostgresRecordConnection.limits,
    outage: RecentOutage = RecentOutage(), wasAccepted: Bool = false
  ) {
    (self.address, self.limits, self.outage, self.wasAccepted) = (address, limits, outage, wasAccepted)
  }

  /// Whether the connection was lost, or was not made yet.
  var isLost: Bool { connection?.isLost != false }

  var dialect: SQLDialect { .postgres }

  /// Connects if there is no connection, and begins a transaction.
  ///
  /// - Parameter statements: the statements, the first of which is `BEGIN`.
  func begin(_ statements: String) throws(KennelError) {
    if isInTransaction { close() }
    guard !outage.isRecent else {
      throw KennelError(.busy, "The database is busy or does not answer. Try again in a moment.")
    }
    if isLost {
      let start = outage.time
      do throws(PostgresError) {
        connection = try BlockingPostgresConnection(address, limits: limits)
        wasAccepted = true
      } catch {
        outage.note(since: start)
        var failure = KennelError(error)
        // The server or its settings are being changed, for example while a backup is restored.
        if wasAccepted { (failure.code, failure.isUnreachable) = (.busy, true) }
        throw failure
      }
    }
    isInTransaction = true
    hasFailed = false
    do throws(KennelError) { try script(statements) } catch {
      // What the connection is doing now is not known.
      close()
      throw error
    }
  }

  func commit() throws(KennelError) {
    guard !hasFailed else { throw KennelError(.failed, "A statement of the transaction failed.") }
    let start = outage.time
    do throws(PostgresError) {
      _ = try open().execute(.script("COMMIT"))
      isInTransaction = false
    } catch {
      if isLost { outage.note(since: start) }
      var failure = KennelError(error)
      // The server's own errors are answers, and nothing was committed.
      if error.code == .connectionLost {
        (failure.mayBeCommitted, failure.mayRepeat) = (true, false)
      } else if isLost {
        failure.mayRepeat = true
      }
      throw failure
    }
  }

  func rollBackToSavepoint() throws(KennelError) {
    _ = try result(of: "ROLLBACK TO job", [])
    // The failed statement is part of what was rolled back.
    hasFailed = false
  }

  func rollBack() {
    guard isInTransaction else { return }
    do throws(KennelError) {
      try script("ROLLBACK")
      isInTransaction = false
    } catch {
      close()
    }
  }

  func close() {
    connection = nil
    isInTransaction = false
  }

  func script(_ text: String) throws(KennelError) { _ = try result(of: .script(text)) }

  func run(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int {
    try result(of: sql, values).changedRows
  }

  func runReturningNumber(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int64 {
    guard let row = try result(of: sql, values).rows.first else {
      throw KennelError(.damaged, "The database has no row that a change needs. Restore a backup.")
    }
    return row.integer(0)
  }

  func rows<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> [Value] {
    var found: [Value] = []
    for row in try result(of: sql, values).rows {
      found.append(try read(RecordRow(PostgresColumns(row: row))))
    }
    return found
  }

  func first<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> Value? {
    guard let row = try result(of: sql, values).rows.first else { return nil }
    return try read(RecordRow(PostgresColumns(row: row)))
  }

  private func result(of sql: StaticString, _ values: [SQLValue]) throws(KennelError) -> Statement.Result {
    try result(of: .prepared(sql, values.map(\.postgres)))
  }

  func result(of text: Statement.Text) throws(KennelError) -> Statement.Result {
    let start = outage.time
    do throws(PostgresError) { return try open().execute(text) } catch {
      hasFailed = true
      var failure = KennelError(error)
      if isLost {
        outage.note(since: start)
        // Without a commit, nothing has an effect.
        if isInTransaction { failure.mayRepeat = true }
        close()
      }
      throw failure
    }
  }

  private func open() throws(PostgresError) -> BlockingPostgresConnection {
    guard let connection else {
      throw PostgresError(
        .cannotConnect, "The connection to the database was lost. Try again in a moment.")
    }
    return connection
  }
}

private struct PostgresColumns: RecordColumns {
  let row: PostgresRow

  func integer(_ column: Int32) -> Int64 { row.integer(Int(column)) }
  func isNull(_ column: Int32) -> Bool { row.isNull(Int(column)) }
  func text(_ column: Int32) -> String { TextWithNUL.decoded(row.text(Int(column))) }
  func blob(_ column: Int32) -> [UInt8] { row.blob(Int(column)) }
}

extension SQLValue {
  fileprivate var postgres: PostgresValue {
    switch self {
    case .integer(let number): .integer(number)
    case .text(let text): .text(TextWithNUL.encoded(text))
    case .blob(let bytes): .blob(bytes)
    case .null: .null
    }
  }
}

extension KennelError {
  /// Creates the error of Kennel for an error of PostgreSQL. Neither contains a password.
  package init(_ error: PostgresError) {
    let code: Code =
      switch error.code {
      case .cannotConnect, .connectionLost, .busy, .conflict: .busy
      case .libraryMissing, .badAddress, .wrongPassword, .noSuchDatabase: .cannotOpen
      case .constraint: .constraint
      case .diskFull: .diskFull
      case .notAllowed: .notWritable
      case .cancelled: .cancelled
      case .closed: .closed
      // A lock that was not granted in time.
      case _ where error.sqlState == "55P03": .busy
      default: .failed
      }
    // The server ends statements that take too long.
    guard error.sqlState != "57014" else {
      self.init(.busy, "The database took too long. Try again in a moment.")
      return
    }
    self.init(code, error.description)
    isDuplicate = error.isDuplicate
    isMissingReference = error.isMissingReference
    mayRepeat = error.code == .conflict
    isUnreachable = error.code == .cannotConnect || error.code == .busy
  }
}
