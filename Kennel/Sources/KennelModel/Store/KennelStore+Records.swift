import KennelStorage

extension KennelStore {
  /// Opens the records of a kennel, and returns the id of the latest event.
  ///
  /// - Throws: `cannotOpen` if the records of the directory are somewhere else.
  static func openRecords(
    in directory: String, _ configuration: Configuration
  ) throws(KennelError) -> (records: any Records, lastEvent: Int64) {
    try FileSwitch.complete(in: directory)
    let place = try RecordPlace(of: directory, address: configuration.databaseAddress)
    var lastEvent: Int64 = 0
    let records = try place.open(in: directory, configuration) { connection throws(KennelError) in
      lastEvent = try EventLog.lastID(connection)
    }
    return (records, lastEvent)
  }

  /// Returns whether there is a kennel in a directory.
  package static func exists(in directory: String) -> Bool { RecordPlace.exists(in: directory) }
}
