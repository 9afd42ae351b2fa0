/// The copy of a database that is made before its first migration by a later version of Kennel.
enum DatabaseCopy {
  /// Returns the path of the copy that is made before a migration to a version of the schema.
  static func path(of database: String, before version: Int) -> String { "\(database).before-\(version)" }

  /// Copies a database of an earlier version. Does nothing if the copy exists, or if there is nothing to migrate.
  ///
  /// The copy appears under its name when it is complete and on the disk.
  static func makeIfNeeded(
    of connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) {
    let version = Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
    guard version > 0, version < migrations.count else { return }
    let place = Self.path(of: path, before: migrations.count)
    guard FileCalls.size(of: place) == nil else { return }
    let draft = place + ".part"
    try FileCalls.remove(draft)
    // SQLite would create a file that others can read, and it writes into an empty one.
    try FileCalls.makeFile(draft)
    try connection.run("VACUUM INTO ?", .text(draft))
    try OpenFile(reading: draft).sync()
    try FileCalls.rename(draft, to: place)
    try FileCalls.syncDirectory(FileCalls.parent(of: place))
  }
}
