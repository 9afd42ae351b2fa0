// All calls into SQLite are in this file and in SQLiteStatement.swift.

import CSQLite
import Foundation

/// A connection to SQLite. Only one thread may use it at a time; the work queue that owns it ensures this.
package final class Connection: RecordConnection {
  package enum Access: Sendable {
    case writing
    case reading
    /// For copying the database, or for preparing a copy that nobody else has open.
    case copying
    /// For reading without creating or changing a file (``ReadOnlyDatabase``).
    ///
    /// - isSettled: whether there is no log, so that the file contains all changes.
    case inspecting(isSettled: Bool)
  }

  private let handle: OpaquePointer
  private let name: String
  /// The prepared statements, by the address of their SQL literal. Their number is limited by the number of literals in
  /// the program.
  private var statements: [UInt: SQLiteStatement] = [:]

  package init(path: String, access: Access, busyTimeout: Duration) throws(KennelError) {
    name = path.isEmpty ? "the directory for temporary files" : path
    var handle: OpaquePointer?
    // SQLITE_OPEN_NOMUTEX: "The new database connection will use the 'multi-thread' threading mode", in which separate
    // threads may use separate connections.
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var address = path
    if case .inspecting(let isSettled) = access {
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      address = Self.address(of: path, parameter: isSettled ? "immutable=1" : "readonly_shm=1")
    } else {
      flags |= SQLITE_OPEN_READWRITE
    }
    let code =
      StorageFault.strikes(.openDatabase) ? SQLITE_CANTOPEN : sqlite3_open_v2(address, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      // "Whether or not an error occurs when it is opened, resources associated with the database connection handle
      // should be released by passing it to sqlite3_close()".
      let errno = sqlite3_system_errno(handle)
      sqlite3_close_v2(handle)
      throw Self.error(code, path: path, errno: errno, message: "")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, Int32(clamping: busyTimeout.components.seconds * 1000))
    try check(csqlite_defend(handle))
    // FULL: in WAL mode, the log is synced at each commit, so confirmed changes survive a power failure.
    try script("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;")
    switch access {
    case .writing: try script("PRAGMA journal_mode = WAL;")
    case .reading: try script("PRAGMA query_only = ON;")
    case .copying, .inspecting: break
    }
  }

  private static func address(of path: String, parameter: String) -> String {
    let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    return (path.hasPrefix("/") ? "file://" : "file:") + escaped + "?" + parameter
  }

  /// Copies the database, as this connection reads it now, into a temporary file without a name. It disappears with the
  /// returned connection, also when the process is killed.
  package func temporaryCopy() throws(KennelError) -> Connection {
    // "If the filename is an empty string, then a private, temporary on-disk database will be created."
    let copy = try Connection(path: "", access: .copying, busyTimeout: .zero)
    guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
      try copy.check(sqlite3_extended_errcode(copy.handle))
      throw Self.error(SQLITE_NOMEM, path: name, errno: 0, message: "")
    }
    sqlite3_backup_step(backup, -1)
    try copy.check(sqlite3_backup_finish(backup))
    return copy
  }

  /// Copies a database into an empty file, as it is at one moment, and opens the copy. Writers need not wait.
  package static func copy(of path: String, to target: String) throws(KennelError) -> Connection {
    let source = try Connection(path: path, access: .copying, busyTimeout: .seconds(5))
    try source.run("VACUUM INTO ?", .text(target))
    let copy = try Connection(path: target, access: .copying, busyTimeout: .zero)
    // No other file is made next to the copy.
    try copy.script("PRAGMA journal_mode = MEMORY;")
    return copy
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// False after SQLite has rolled back a transaction by itself, as it does when the disk is full.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Returns the address of the log's index, which all processes that have the database open share, or nil if there is
  /// none. It is valid for as long as this connection is open.
  func logIndex() throws(KennelError) -> UInt? {
    // Reading a table opens the index.
    _ = try first("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in true }
    guard try first("PRAGMA journal_mode", row: { $0.text(0) }) == "wal" else { return nil }
    return csqlite_log_index(handle).map { UInt(bitPattern: $0) }
  }

  /// The number of operations that all statements have taken so far, except for scripts. It does not depend on the speed of
  /// the machine.
  var operationCount: Int {
    statements.values.reduce(0) { $0 + Int(sqlite3_stmt_status($1.handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }
  }

  /// Runs statements that return no rows.
  package func script(_ text: String) throws(KennelError) {
    if StorageFault.strikes(.script) { throw Self.error(SQLITE_IOERR, path: name, errno: 0, message: "") }
    try check(sqlite3_exec(handle, text, nil, nil, nil))
  }

  package var dialect: SQLDialect { .sqlite }

  package func commit() throws(KennelError) { try run("COMMIT") }

  package func rollBack() {
    if isInTransaction { _ = try? run("ROLLBACK") }
  }

  package func rollBackToSavepoint() throws(KennelError) { try run("ROLLBACK TO job") }

  package func run(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int {
    let statement = try bound(sql, values)
    defer { statement.rewind() }
    while try step(statement) {}
    return Int(sqlite3_changes64(handle))
  }

  package func runReturningNumber(_ sql: StaticString, values: [SQLValue]) throws(KennelError) -> Int64 {
    let statement = try bound(sql, values)
    defer { statement.rewind() }
    guard try step(statement) else {
      throw KennelError(.damaged, "The database at \(name) has no row that a change needs. Restore a backup.")
    }
    let number = sqlite3_column_int64(statement.handle, 0)
    // References are checked at the end of the statement.
    while try step(statement) {}
    return number
  }

  package func rows<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> [Value] {
    let statement = try bound(sql, values)
    defer { statement.rewind() }
    var result: [Value] = []
    while try step(statement) { result.append(try read(RecordRow(statement: statement.handle))) }
    return result
  }

  package func first<Value>(
    _ sql: StaticString, values: [SQLValue], row read: (borrowing RecordRow) throws(KennelError) -> Value
  ) throws(KennelError) -> Value? {
    let statement = try bound(sql, values)
    defer { statement.rewind() }
    return try step(statement) ? try read(RecordRow(statement: statement.handle)) : nil
  }

  private func bound(_ sql: StaticString, _ values: [SQLValue]) throws(KennelError) -> SQLiteStatement {
    let statement = try prepared(sql)
    for (index, value) in values.enumerated() {
      let code = statement.bind(value, at: Int32(index + 1))
      if code != SQLITE_OK {
        statement.rewind()
        try check(code)
      }
    }
    return statement
  }

  private func prepared(_ sql: StaticString) throws(KennelError) -> SQLiteStatement {
    let key = UInt(bitPattern: sql.utf8Start)
    if let statement = statements[key] { return statement }
    let statement = try sql.withUTF8Buffer { bytes in
      Result { () throws(KennelError) in try prepare(bytes, keeps: true) }
    }.get()
    statements[key] = statement
    return statement
  }

  private func prepare(
    _ sql: UnsafeBufferPointer<UInt8>, keeps: Bool
  ) throws(KennelError) -> SQLiteStatement {
    if StorageFault.strikes(.prepare) { throw Self.error(SQLITE_NOMEM, path: name, errno: 0, message: "") }
    var made: OpaquePointer?
    let code = sql.withMemoryRebound(to: CChar.self) { characters in
      sqlite3_prepare_v3(
        handle, characters.baseAddress, Int32(characters.count),
        keeps ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0,
        &made, nil)
    }
    try check(code)
    guard let made else { throw KennelError(.failed, "An SQL statement is empty.") }
    return SQLiteStatement(handle: made)
  }

  /// Prepares a statement whose text is made at run time.
  private func prepare(_ sql: String) throws(KennelError) -> SQLiteStatement {
    var sql = sql
    return try sql.withUTF8 { bytes in
      Result { () throws(KennelError) in try prepare(bytes, keeps: false) }
    }.get()
  }

  /// Passes on the rows of a query that is made at run time.
  func forEachRow(
    _ sql: String, columns: Int, _ body: ([SQLValue]) throws(KennelError) -> Void
  ) throws(KennelError) {
    let statement = try prepare(sql)
    while try step(statement) {
      try body((0..<Int32(clamping: columns)).map { SQLiteColumns.value(statement.handle, $0) })
    }
  }

  /// Runs a statement that is made at run time with the values of each row.
  func run(_ sql: String, forEach rows: [[SQLValue]]) throws(KennelError) {
    let statement = try prepare(sql)
    for row in rows {
      for (index, value) in row.enumerated() { try check(statement.bind(value, at: Int32(index + 1))) }
      while try step(statement) {}
      statement.rewind()
    }
  }

  /// Advances a statement. Returns true if there is a row.
  private func step(_ statement: borrowing SQLiteStatement) throws(KennelError) -> Bool {
    let code = StorageFault.strikes(.step) ? SQLITE_FULL : sqlite3_step(statement.handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      try check(code)
      return false
    }
  }

  private func check(_ code: Int32) throws(KennelError) {
    guard code != SQLITE_OK else { return }
    let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? ""
    throw Self.error(code, path: name, errno: sqlite3_system_errno(handle), message: message)
  }

  private static func error(_ code: Int32, path: String, errno: Int32, message: String) -> KennelError {
    func make(_ kind: KennelError.Code, _ sentence: String) -> KennelError {
      var error = KennelError(kind, sentence, errno: errno)
      let constraint = code & 0xff == SQLITE_CONSTRAINT ? code >> 8 : 0
      error.isDuplicate = constraint == 8 || constraint == 6
      error.isMissingReference = constraint == 3
      error.isLockingProtocol = code & 0xff == SQLITE_PROTOCOL
      return error
    }
    switch code & 0xff {
    case SQLITE_FULL:
      return make(
        .diskFull, "There is no space left for the database at \(path). Free some space, then try again.")
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      return make(
        .cannotOpen, "The database at \(path) cannot be opened. Check the path and its permissions.")
    case SQLITE_READONLY:
      return make(
        .notWritable, "The database at \(path) is read-only. Give Kennel's user write permission.")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return make(.busy, "The database at \(path) is locked by another program. Try again in a moment.")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return make(.damaged, "The database at \(path) is damaged (\(message)). Restore a backup.")
    case SQLITE_CONSTRAINT:
      return make(.constraint, "The change would violate a database constraint (\(message)).")
    case SQLITE_IOERR:
      let reason = errno == 0 ? message : String(cString: strerror(errno))
      return make(
        .inputOutput, "The database at \(path) could not be read or written (\(reason)). Check the disk.")
    default:
      let reason = message.isEmpty ? sqlite3_errstr(code).map { String(cString: $0) } ?? "" : message
      return make(.failed, "The database at \(path) returned an error (\(reason)).")
    }
  }
}
