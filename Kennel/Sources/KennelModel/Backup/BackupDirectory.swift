import Foundation
import KennelStorage

/// A directory with backups of which each is complete, although a photo is stored once for all of them.
///
/// `snapshots` has a file for each backup, named after its time: an archive with the database and the hashes of its photos.
/// `objects` has the photos, named after their hashes. In an encrypted directory, all files are encrypted, and the names are hashes
/// with a key. New files are written to `incoming`, and moved when they are complete. A killed process leaves files there, which
/// the next one removes, and photos without a backup, which the next backup uses or removes.
final class BackupDirectory: Sendable {
  private static let formatName = "kennel-backups"
  private static let plainFormat = Array("Kennel backups, format 1\n".utf8)

  let path: String
  /// The keys of an encrypted directory.
  let keys: BackupKeys.Keys?
  /// Held while a process writes to the directory, or reads from it.
  private let lock: FileLock

  var snapshots: String { path + "/snapshots" }
  var incoming: String { path + "/incoming" }
  var objects: String { path + "/objects" }

  /// Opens a directory for writing. If it does not exist or is empty, it is made.
  ///
  /// - Throws: `notAllowed` if it has other contents, `badBackup` for a wrong passphrase, `busy` if it is in use.
  convenience init(writing path: String, _ passphrase: BackupKeys?) throws(KennelError) {
    try FileCalls.makeDirectory(path)
    let format = "\(path)/\(Self.formatName)"
    if FileCalls.size(of: format) == nil {
      try Self.requireEmpty(path)
      let keys = try passphrase.map { keys throws(KennelError) in try keys.makeNew() }
      var draft = try OpenFile(creating: "\(format).\(Sodium.base64(Sodium.randomBytes(9))).part")
      try draft.write(keys?.header.bytes ?? Self.plainFormat)
      try draft.sync()
      try draft.move(to: format)
    }
    try self.init(path, passphrase)
    for name in [snapshots, incoming, objects] { try FileCalls.makeDirectory(name) }
    try FileCalls.syncDirectory(path)
    try FileCalls.forEachName(in: incoming) { name throws(KennelError) in
      try FileCalls.remove("\(incoming)/\(name)")
    }
  }

  /// Opens a directory that exists.
  init(_ path: String, _ passphrase: BackupKeys?) throws(KennelError) {
    self.path = path
    let format = try OpenFile(reading: "\(path)/\(Self.formatName)")
    let bytes = Array(try format.contents(limit: 4096))
    if bytes == Self.plainFormat {
      guard passphrase == nil else {
        throw KennelError(
          .badBackup,
          "The backups in \(path) are not encrypted. Leave out the passphrase, or use an empty directory.")
      }
      keys = nil
    } else {
      guard let header = BackupCipherHeader(bytes) else {
        throw KennelError(
          .badBackup, "The file \(format.path) is damaged. Copy it from another copy of the directory.")
      }
      guard let passphrase else {
        throw KennelError(
          .badBackup,
          "The backups in \(path) are encrypted. Give the file with the passphrase with --passphrase-file.")
      }
      keys = try passphrase.keys(for: header)
    }
    guard let lock = FileLock(format) else {
      throw KennelError(.busy, "Another program is using the backups in \(path). Try again later.")
    }
    self.lock = lock
  }

  /// Returns whether a path is a directory with backups.
  static func isOne(_ path: String) -> Bool { FileCalls.size(of: "\(path)/\(formatName)") != nil }

  /// A killed process may have left only the draft of the format.
  private static func requireEmpty(_ path: String) throws(KennelError) {
    var isEmpty = true
    try FileCalls.forEachName(in: path) { name in
      if !AbandonedFiles.isName(name, beginning: formatName + ".", end: ".part"), name != "lost+found" {
        isEmpty = false
      }
    }
    guard isEmpty else {
      throw KennelError(
        .notAllowed,
        "The directory \(path) has other contents and no backups. Choose an empty directory, or a new one.")
    }
    AbandonedFiles.remove(in: path) {
      AbandonedFiles.isName($0, beginning: formatName + ".", end: ".part")
    }
  }

  /// The path of a photo, or of what was taken out of one.
  func location(_ hash: PhotoHash) -> String {
    let name =
      keys.flatMap { PhotoHash(bytes: Sodium.keyedHash(hash.bytes, key: $0.names)) }.map { "\($0)" }
      ?? "\(hash)"
    return "\(objects)/\(name.prefix(2))/\(name)"
  }

  /// The names of all backups, the oldest first.
  func snapshotNames() throws(KennelError) -> [String] {
    var names: [String] = []
    try FileCalls.forEachName(in: snapshots) { name in if name.hasSuffix(".tar") { names.append(name) } }
    return names.sorted()
  }

  func newDraft() -> String { "\(incoming)/\(Sodium.base64(Sodium.randomBytes(9))).part" }

  private static let snapshotStyle = Date.ISO8601FormatStyle(
    timeSeparator: .omitted, includingFractionalSeconds: true)

  /// Returns the name of a backup that is made at a time.
  static func snapshotName(_ date: Date) -> String { date.formatted(snapshotStyle) + ".tar" }

  /// Returns the time of a new backup. It is after that of all others, also if the clock is behind: the names decide which backup is
  /// the latest, and which are removed.
  func dateOfNextSnapshot(now: Date) throws(KennelError) -> Date {
    let dated = try snapshotNames().compactMap { name in
      (try? Self.snapshotStyle.parse(String(name.dropLast(4)))).map { (name: name, date: $0) }
    }
    guard let newest = dated.last, Self.snapshotName(now) <= newest.name else { return now }
    var date = newest.date
    // Formatting may round a time down to the millisecond before.
    for _ in 0..<10 where Self.snapshotName(date) <= newest.name { date = date.addingTimeInterval(0.001) }
    return date
  }
}
