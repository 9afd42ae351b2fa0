import Foundation

/// A copy of the database that is made before it is migrated, so that the earlier version of the program can be used again.
///
/// It is next to the database and named after the version and the date, such as `kennel.sqlite.v7-2026-11-26T190500Z`. Only
/// the latest copies are kept.
enum MigrationCopy {
  /// The maximum number of copies.
  static let maximumCount = 3

  /// Copies the database of a connection, which has no transaction.
  ///
  /// - Throws: `diskFull` and other errors of the copy. The database is not migrated without one.
  static func make(
    of connection: Connection, path: String, version: Int, date: Date = Date()
  ) throws(KennelError) {
    let target = "\(path).v\(version)-\(time(date))"
    let partial = "\(target).\(Sodium.base64(Sodium.randomBytes(9))).part"
    let directory = FileCalls.parent(of: path)
    let prefix = FileCalls.name(of: path) + ".v"
    AbandonedFiles.remove(in: directory) { $0.hasPrefix(prefix) && $0.hasSuffix(".part") }
    // SQLite would create a file that others can read.
    var draft = try OpenFile(creating: partial)
    do throws(KennelError) {
      try connection.run("VACUUM INTO ?", .text(partial))
      try draft.sync()
      try draft.move(to: target)
    } catch {
      _ = try? FileCalls.remove(partial)
      throw error
    }
    try FileCalls.syncDirectory(directory)
    try removeOldest(in: directory, prefix: prefix)
  }

  /// Returns a date as a part of a file's name, such as `2026-11-26T190500Z`.
  private static func time(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(timeSeparator: .omitted))
  }

  private static func removeOldest(in directory: String, prefix: String) throws(KennelError) {
    var names: [String] = []
    try FileCalls.forEachName(in: directory) { name throws(KennelError) in
      if name.hasPrefix(prefix), !name.hasSuffix(".part") { names.append(name) }
    }
    // The date follows the version, so names of different versions are not in the order of their dates.
    let sorted = names.sorted { date(of: $0) < date(of: $1) }
    for name in sorted.dropLast(maximumCount) { try FileCalls.remove("\(directory)/\(name)") }
  }

  private static func date(of name: String) -> Substring {
    name.split(separator: "-", maxSplits: 1).last ?? ""
  }
}
