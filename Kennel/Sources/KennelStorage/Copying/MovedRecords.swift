/// The records of a kennel that is moved. Nobody changes them from the beginning until the switch. All calls block.
package protocol RecordSource: AnyObject {
  /// Reads one state.
  var connection: any TableConnection { get }

  /// Releases what would be in the way of the switch. It is the last call before it.
  func prepareSwitch()
  /// Notes after the switch that the kennel does not use these records any more.
  func finish() throws(KennelError)
}

/// The place where the records of a kennel move to. Nobody uses it before the switch. All calls block.
package protocol RecordTarget: AnyObject {
  /// Has a transaction that begins with this object.
  var connection: any TableConnection { get }

  /// Makes the copy permanent.
  func commit() throws(KennelError)
  /// Notes after the switch that the kennel uses these records.
  func finish() throws(KennelError)
}

/// Records in SQLite that are moved.
package final class FileSource: RecordSource {
  package let connection: any TableConnection

  package init(_ path: String) throws(KennelError) {
    let connection = try Connection.readingExclusively(path)
    self.connection = connection
  }

  package func prepareSwitch() { connection.rollBack() }
  package func finish() throws(KennelError) {}
}

/// A file of SQLite to which records are moved.
package final class FileTarget: RecordTarget {
  private let path: String
  package let connection: any TableConnection

  package init(_ path: String) throws(KennelError) {
    self.path = path
    // An interrupted move may have left one.
    for suffix in ["", "-journal"] { try FileCalls.remove(path + suffix) }
    connection = try Connection.fillingNewFile(at: path)
  }

  package func commit() throws(KennelError) {
    try connection.commit()
    // Closing a file releases SQLite's locks on it. Nobody else has this file open.
    try OpenFile(appending: path).sync()
  }

  package func finish() throws(KennelError) {}
}
