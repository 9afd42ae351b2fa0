import KennelStorage

extension KennelStore {
  /// The name of SQLite's file in the directory.
  private static let fileName = "kennel.sqlite"
  /// The name of the file that says that the records are in PostgreSQL. Without it, another command would begin a new kennel
  /// in the directory.
  private static let markName = "records-in-postgresql"

  /// Opens the records of a kennel, and returns the id of the latest event.
  ///
  /// - Throws: `cannotOpen` if the records of the directory are somewhere else.
  static func openRecords(
    in directory: String, _ configuration: Configuration
  ) throws(KennelError) -> (records: any Records, lastEvent: Int64) {
    let path = "\(directory)/\(fileName)"
    var lastEvent: Int64 = 0
    let prepare: (any RecordConnection) throws(KennelError) -> Void = { connection throws(KennelError) in
      lastEvent = try EventLog.lastID(connection)
    }
    if let address = configuration.databaseAddress {
      guard FileCalls.size(of: path) == nil else {
        throw KennelError(
          .cannotOpen,
          "The kennel in \(directory) has its database in this directory. Leave out --database and KENNEL_DATABASE, or use another directory."
        )
      }
      let records = try PostgresRecords(address, beforeCommit: SearchIndex.update, prepare: prepare)
      try FileCalls.makeFile("\(directory)/\(markName)")
      return (records, lastEvent)
    }
    try requireFile(in: directory)
    // SQLite would create a file that others can read. Its log and its index get the permissions of this file.
    try FileCalls.makeFile(path)
    let records = try Database(
      path: path, configuration: configuration.database, beforeCommit: SearchIndex.update, prepare: prepare)
    return (records, lastEvent)
  }

  /// Returns whether there is a kennel in a directory.
  package static func exists(in directory: String) -> Bool {
    [fileName, markName].contains { FileCalls.size(of: "\(directory)/\($0)") != nil }
  }

  /// - Throws: `cannotOpen` if the records of the kennel are in PostgreSQL.
  static func requireFile(in directory: String) throws(KennelError) {
    guard FileCalls.size(of: "\(directory)/\(markName)") == nil else {
      throw KennelError(
        .cannotOpen,
        "The records of the kennel in \(directory) are in PostgreSQL. Set KENNEL_DATABASE to its address. "
          + "For a backup, use pg_dump, and copy the directory.")
    }
  }
}
