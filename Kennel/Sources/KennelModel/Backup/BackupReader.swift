import Foundation
import KennelStorage

/// Unpacks one backup. It blocks, so it must run on a separate thread.
struct BackupReader: ~Copyable {
  private let draft: String
  private let isCancelled: @Sendable () -> Bool
  private let reportProgress: @Sendable (BackupProgress) -> Void
  private let input: BackupInput
  private let keys: BackupKeys?
  /// Where the photos are stored, or nil if the file has them.
  private let directory: BackupDirectory?
  private var progress = BackupProgress()
  private var report = BackupReport()
  /// The hash of the expected lines of the file of hashes.
  private var sums = Sodium.SHA256()
  private let buffer = FileBuffer()

  init(
    path: String, draft: String, keys: BackupKeys?, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (BackupProgress) -> Void
  ) throws(KennelError) {
    let backup = try BackupDirectory.backup(at: path, keys)
    let file = backup?.snapshot ?? path
    try Self.checkBeginning(of: file, keys)
    let input = try BackupInput(OpenFile(reading: file, followsLinks: true), keys)
    directory = backup?.directory
    self.keys = keys
    self.draft = draft
    self.isCancelled = isCancelled
    reportProgress = progress
    self.input = input
  }

  /// Checks that the file begins like a backup. This distinguishes a truncated backup from another file, such as a
  /// photo.
  private static func checkBeginning(of path: String, _ keys: BackupKeys?) throws(KennelError) {
    let file = try BackupInput(OpenFile(reading: path, followsLinks: true), keys)
    let buffer = FileBuffer()
    let count = try file.read(into: buffer.first(TarHeader.blockSize))
    // If the database is too large for ustar, the first header is an extended header for the next one.
    let isOne = ["", TarHeader.extendedPrefix].contains { prefix in
      let name = Array("\(prefix)\(BackupContents.database.name)\0".utf8)
      return buffer.bytes(min(count, name.count)).elementsEqual(name.prefix(count))
    }
    guard count > 0, isOne else {
      throw KennelError(
        .badBackup, "The file is not a Kennel backup. Use a file written by kennel backup.")
    }
  }

  mutating func read() throws(KennelError) -> BackupReport {
    try FileCalls.makeDirectory(draft + "/photos")
    var last: BackupContents?
    while last != .sums {
      let (contents, size) = try nextHeader()
      // The photos must be sorted, so no photo can occur twice.
      switch (last, contents) {
      case (nil, .database), (.database, .photo), (.database, .sums), (.photo, .sums): break
      case (.photo(let one), .photo(let next)) where one.bytes.lexicographicallyPrecedes(next.bytes): break
      default: throw Self.notOne
      }
      try unpack(contents, size: size)
      last = contents
    }
    guard try block().allSatisfy({ $0 == 0 }), try block().allSatisfy({ $0 == 0 }) else { throw Self.notOne }
    guard try input.read(into: buffer.first(1)) == 0 else { throw Self.notOne }
    report.bytes += try input.size()
    try Self.checkDatabase(draft + "/" + BackupContents.database.name)
    report.photos -= try partCount()
    return report
  }

  /// Returns the number of files with what was taken out of photos.
  private func partCount() throws(KennelError) -> Int {
    let connection = try Connection(
      path: draft + "/" + BackupContents.database.name, access: .reading, busyTimeout: .zero)
    let hasParts = try connection.first(
      "SELECT 1 FROM sqlite_schema WHERE name = 'parts'", row: { _ in true })
    guard hasParts != nil else { return 0 }
    let parts = try connection.rows("SELECT hash FROM parts WHERE hash NOT IN (SELECT hash FROM photos)") {
      PhotoHash(bytes: $0.blob(0))
    }
    return parts.count { hash in
      hash.map { FileCalls.size(of: "\(draft)/\(BackupContents.photo($0).name)") != nil } ?? false
    }
  }

  private mutating func nextHeader() throws(KennelError) -> (BackupContents, size: Int) {
    guard var header = TarHeader(try block()) else { throw Self.notOne }
    if header.kind == .extended {
      guard header.size < TarHeader.blockSize else { throw Self.notOne }
      let record = Array(try block().prefix(header.size))
      guard let size = TarHeader.size(inRecord: record), let next = TarHeader(try block()) else {
        throw Self.notOne
      }
      header = next
      header.size = size
    }
    guard header.kind == .file, let contents = BackupContents(name: header.name) else { throw Self.notOne }
    return (contents, header.size)
  }

  private mutating func unpack(_ contents: BackupContents, size: Int) throws(KennelError) {
    guard size <= (try input.size()) else { throw Self.cutShort }
    var hash = Sodium.SHA256()
    if contents == .sums, directory != nil {
      try unpackPhotos(size: size)
    } else if contents == .sums {
      try forEachPiece(of: size) { piece throws(KennelError) in hash.update(piece) }
      var lines = Sodium.SHA256()
      swap(&lines, &sums)
      guard (consume hash).finish() == (consume lines).finish() else { throw Self.damaged }
    } else {
      let file = try OpenFile(creating: "\(draft)/\(contents.name)")
      try forEachPiece(of: size) { piece throws(KennelError) in
        hash.update(piece)
        try file.write(piece)
      }
      guard let found = PhotoHash(bytes: (consume hash).finish()) else { throw Self.damaged }
      if case .photo(let expected) = contents {
        guard found == expected, size > 0 else { throw Self.damaged }
        report.photos += 1
        progress.photos += 1
      }
      let line = contents.line(found)
      line.withUnsafeBytes { sums.update($0) }
    }
    let padding = TarHeader.padding(after: size)
    if padding > 0 { try forEachPiece(of: padding, isContents: false) { _ in } }
  }

  /// Copies the photos of a backup in a directory, whose hashes are in the lines.
  private mutating func unpackPhotos(size: Int) throws(KennelError) {
    guard let directory, size <= SnapshotReader.maximumLinesSize else { throw Self.damaged }
    var bytes: [UInt8] = []
    try forEachPiece(of: size) { piece throws(KennelError) in bytes.append(contentsOf: piece) }
    for hash in try SnapshotReader.hashes(inLines: bytes) {
      let contents = BackupContents.photo(hash)
      report.bytes += try directory.copy(
        hash, to: "\(draft)/\(contents.name)", keys, isCancelled: isCancelled)
      let line = contents.line(hash)
      line.withUnsafeBytes { sums.update($0) }
      report.photos += 1
      progress.photos += 1
      reportProgress(progress)
    }
    var lines = Sodium.SHA256()
    swap(&lines, &sums)
    guard Sodium.sha256(bytes) == (consume lines).finish() else { throw Self.damaged }
  }

  private mutating func forEachPiece(
    of size: Int, isContents: Bool = true, _ body: (UnsafeRawBufferPointer) throws(KennelError) -> Void
  ) throws(KennelError) {
    var left = size
    while left > 0 {
      if isCancelled() { throw .cancelled }
      let count = try input.read(
        into: buffer.first(left))
      guard count > 0 else { throw Self.cutShort }
      try body(buffer.bytes(count))
      left -= count
      if isContents {
        progress.bytes += count
        reportProgress(progress)
      }
    }
  }

  private mutating func block() throws(KennelError) -> [UInt8] {
    var block: [UInt8] = []
    try forEachPiece(of: TarHeader.blockSize, isContents: false) { block += $0 }
    return block
  }

  /// Checks, before the database is used, that it has exactly Kennel's tables and indexes, and no other triggers and views than
  /// Kennel's.
  private static func checkDatabase(_ path: String) throws(KennelError) {
    let connection = try Connection(path: path, access: .reading, busyTimeout: .zero)
    let version = Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
    // A newer database is refused with a specific error when it is opened.
    guard version <= Migration.all.count else { return }
    let model = try Connection(path: ":memory:", access: .copying, busyTimeout: .zero)
    for migration in Migration.all.prefix(max(version, 0)) { try model.script(migration.script) }
    guard version > 0, try shape(of: connection) == shape(of: model) else {
      throw KennelError(
        .badBackup, "The database in the backup is not a Kennel database. Use another backup.")
    }
  }

  private static func shape(of connection: Connection) throws(KennelError) -> [String] {
    try connection.rows(
      """
      SELECT type || ' ' || name || ' ' || tbl_name
        || CASE WHEN type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%' THEN ' ' || sql ELSE '' END
      FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1
      """
    ) { $0.text(0) }
  }

  private static let notOne = KennelError(
    .badBackup, "The file is damaged or not a Kennel backup. Use another file.")
  private static let damaged = KennelError(
    .badBackup, "The backup is damaged: a hash does not match. Use another backup.")
  private static let cutShort = KennelError(
    .badBackup, "The backup is incomplete. Copy it again, or use another backup.")
}
