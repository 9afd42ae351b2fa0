extension Migration {
  static func version(_ connection: Connection) throws(KennelError) -> Int {
    Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
  }

  /// Refuses databases of later versions and of other programs. The connection must not see changes by others meanwhile.
  ///
  /// - Returns: the version of the database.
  static func supportedVersion(
    _ connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) -> Int {
    let version = try version(connection)
    guard version >= 0, version <= migrations.count else {
      throw KennelError(
        .newerSchema,
        "The database at \(path) was written by a later version of Kennel (format \(version); this version "
          + "supports \(migrations.count)). Install that version, or restore a backup.")
    }
    if version == 0, try connection.first("SELECT 1 FROM sqlite_schema", row: { _ in true }) != nil {
      throw KennelError(
        .foreignDatabase,
        "The database at \(path) belongs to another program. Use a separate directory for Kennel.")
    }
    return version
  }

  /// Refuses a database that is not of this version, for work that must not migrate it.
  static func requireCurrent(
    _ connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) {
    let version = try supportedVersion(connection, path: path, migrations: migrations)
    guard version == migrations.count else {
      throw KennelError(
        .olderSchema,
        "The database at \(path) was written by an earlier version of Kennel (format \(version); this version "
          + "uses \(migrations.count)). Start the server, or run kennel check --repair, to update it. "
          + "The earlier database is kept as a copy.")
    }
  }
}
