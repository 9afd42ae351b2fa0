import KennelStorage

/// Where the records of a kennel are: in SQLite, in the kennel's directory, or in PostgreSQL. No other code distinguishes them.
package enum RecordPlace: Sendable, Hashable {
  case file
  case postgres(address: String)

  /// The name of SQLite's file in the directory.
  private static let fileName = "kennel.sqlite"
  /// The name of the file that says that the records are in PostgreSQL. Without it, another command would begin a new kennel
  /// in the directory.
  private static let markName = "records-in-postgresql"
  /// The name of SQLite's file before a kennel uses it.
  private static let draftName = "kennel.sqlite.moving"

  private static func path(_ directory: String) -> String { "\(directory)/\(fileName)" }

  /// Returns whether there is a kennel in a directory.
  static func exists(in directory: String) -> Bool {
    [fileName, markName].contains { FileCalls.size(of: "\(directory)/\($0)") != nil }
  }

  /// - Parameter address: the address of the database, if the user has given one.
  /// - Throws: `cannotOpen` if the records of the directory are somewhere else.
  init(of directory: String, address: String?) throws(KennelError) {
    guard let address else {
      guard FileCalls.size(of: "\(directory)/\(Self.markName)") == nil else {
        throw KennelError(
          .cannotOpen,
          "The records of the kennel in \(directory) are in PostgreSQL. Set KENNEL_DATABASE to its address.")
      }
      self = .file
      return
    }
    guard FileCalls.size(of: Self.path(directory)) == nil else {
      throw KennelError(
        .cannotOpen,
        "The kennel in \(directory) has its database in this directory. Leave out --database and KENNEL_DATABASE, or use another directory."
      )
    }
    self = .postgres(address: address)
  }

  /// Opens the records, or makes new ones.
  func open(
    in directory: String, _ configuration: KennelStore.Configuration,
    prepare: (any RecordConnection) throws(KennelError) -> Void
  ) throws(KennelError) -> any Records {
    switch self {
    case .file:
      // SQLite would create a file that others can read. Its log and its index get the permissions of this file.
      try FileCalls.makeFile(Self.path(directory))
      return try Database(
        path: Self.path(directory), configuration: configuration.database, beforeCommit: SearchIndex.update,
        prepare: prepare)
    case .postgres(let address):
      let records = try PostgresRecords(address, beforeCommit: SearchIndex.update, prepare: prepare)
      try FileCalls.makeFile("\(directory)/\(Self.markName)")
      return records
    }
  }

  /// Opens the records for a check.
  func inspect(in directory: String) throws(KennelError) -> any InspectedRecords {
    switch self {
    case .file: ReadOnlyDatabase(path: Self.path(directory))
    case .postgres(let address): try PostgresInspection(address)
    }
  }
}

// MARK: Moving

extension RecordPlace {
  /// Opens the records that are moved away.
  func source(in directory: String) throws(KennelError) -> any RecordSource {
    switch self {
    case .file: try FileSource(Self.path(directory))
    case .postgres(let address): try PostgresSource(address)
    }
  }

  /// Opens the place to which records are moved.
  ///
  /// - Parameter identity: the identity of the kennel.
  func target(in directory: String, _ identity: KennelIdentity) throws(KennelError) -> any RecordTarget {
    switch self {
    case .file: try FileTarget("\(directory)/\(Self.draftName)")
    case .postgres(let address): try PostgresTarget(address, identity: identity.bytes)
    }
  }

  /// Returns whether records can be moved to another place with the same kind of database, which cannot be switched.
  func isSameKind(as other: RecordPlace) -> Bool {
    switch (self, other) {
    case (.file, .file), (.postgres, .postgres): true
    default: false
    }
  }

  /// Creates the files that ``switchSteps(suffix:)`` gives their names.
  func prepareSwitch(in directory: String) throws(KennelError) {
    if case .postgres = self { try FileCalls.makeFile("\(directory)/\(Self.markName).moving") }
  }

  /// Returns the changes of names after which a kennel uses these records.
  ///
  /// - Parameter suffix: what the names of files get that the kennel does not use any more.
  func switchSteps(suffix: String) -> [FileSwitch.Step] {
    let file = Self.fileName
    switch self {
    case .file: return [.rename(Self.draftName, to: file), .remove(Self.markName)]
    case .postgres:
      return [
        .rename(Self.markName + ".moving", to: Self.markName), .rename(file, to: file + suffix),
        .remove(file + "-wal"), .remove(file + "-shm"),
      ]
    }
  }
}
