/// What `kennel move` notes in a database of PostgreSQL. It is the comment of a table, which does not belong to the records.
enum PostgresMoveMark: String {
  /// The database has a complete copy of a kennel that does not use it yet.
  case moving = "kennel move: not in use yet"
  /// The kennel was moved away.
  case moved = "kennel move: moved away"

  /// Returns the mark of a database, or nil if a kennel uses it.
  static func read(_ connection: PostgresRecordConnection) throws(KennelError) -> PostgresMoveMark? {
    let text = try connection.first("SELECT obj_description(to_regclass('kennel'), 'pg_class')") {
      $0.text(0)
    }
    return text.flatMap(PostgresMoveMark.init)
  }

  /// Sets or removes the mark, in the transaction of the connection.
  static func write(_ mark: PostgresMoveMark?, _ connection: PostgresRecordConnection) throws(KennelError) {
    try connection.script("COMMENT ON TABLE kennel IS \(mark.map { "'\($0.rawValue)'" } ?? "NULL")")
  }

  static let movedAway = KennelError(
    .notAllowed,
    "The kennel of this database was moved to another place. Use its directory without this database, or an empty database."
  )

  /// Refuses a database whose kennel was moved away. The one of a kennel that has just been moved there is in use from now on.
  static func requireUsable(_ connection: PostgresRecordConnection) throws(KennelError) {
    try connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
    do throws(KennelError) {
      switch try read(connection) {
      case nil: return connection.rollBack()
      case .moving:
        try write(nil, connection)
        try connection.commit()
      case .moved: throw movedAway
      }
    } catch {
      connection.rollBack()
      throw error
    }
  }
}
