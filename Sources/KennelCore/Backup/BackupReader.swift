import Foundation

extension KennelStore {
  /// Puts a backup in the place of a directory that is empty or not there.
  ///
  /// All of it is read and verified beside that place first: names, sizes, hashes, and whether the database is one of
  /// Kennel's. What is not as it ought to be leaves nothing behind.
  ///
  /// Cancelling ends it soon and leaves nothing.
  ///
  /// - Parameter progress: called often, on a thread that may be blocked for a moment.
  /// - Throws: `badBackup` when the file is none or is damaged, and what the disk says.
  package static func restore(
    from path: String, to directory: String, configuration: Configuration = Configuration(),
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws(KennelError) -> BackupReport {
    let lane = Lane<Void>("backups", slots: 1, waitingLimit: 4)
    let place = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    let draft = "\(place).restoring-\(Sodium.base64(Sodium.randomBytes(9)))"
    do throws(KennelError) {
      var report = try await lane.runInterruptibly { isCancelled throws(KennelError) in
        try requireEmpty(directory)
        var reader = try BackupReader(path: path, draft: draft, isCancelled: isCancelled, progress: progress)
        return try reader.read()
      }
      report.missing = try await missingPhotos(in: draft, configuration)
      if Task.isCancelled { throw KennelError.cancelled }
      try await lane.run { () throws(KennelError) in
        // In this order: what both kennels have ends before the numbers that are passed over.
        try beginLineage(in: draft)
        try passOverNumbers(in: draft)
        FileCalls.syncAll()
        // Takes the place of an empty directory, and of nothing else.
        try FileCalls.rename(draft, to: place)
        try FileCalls.syncDirectory(FileCalls.parent(of: place))
      }
      return report
    } catch {
      _ = try? await lane.run { () throws(KennelError) in try? FileManager.default.removeItem(atPath: draft) }
      throw error
    }
  }

  private static func requireEmpty(_ directory: String) throws(KennelError) {
    guard FileManager.default.fileExists(atPath: directory) else { return }
    var isEmpty = true
    try FileCalls.forEachName(in: directory) { _ in isEmpty = false }
    guard isEmpty else {
      throw KennelError(
        .notAllowed, "There is something at \(directory) already. Move it away, or choose another directory.")
    }
  }

  /// Opens what was unpacked, as a kennel would, and looks whether all fits together.
  private static func missingPhotos(
    in draft: String, _ configuration: Configuration
  ) async throws(KennelError) -> [PhotoHash] {
    let store = try await KennelStore.open(draft, configuration: configuration)
    let report: StoreReport
    do throws(KennelError) {
      report = try await store.check()
    } catch {
      await store.close()
      throw error
    }
    await store.close()
    var missing: [PhotoHash] = []
    for problem in report.problems {
      guard case .missing(let hash) = problem else {
        throw KennelError(
          .badBackup, "The backup's parts do not fit together: \(problem) Use another backup.")
      }
      missing.append(hash)
    }
    return missing
  }
}

/// Unpacks one backup. It blocks: it belongs on a thread of its own.
private struct BackupReader: ~Copyable {
  private let draft: String
  private let isCancelled: @Sendable () -> Bool
  private let tell: @Sendable (BackupProgress) -> Void
  private let input: OpenFile
  private var progress = BackupProgress()
  private var report = BackupReport()
  /// The hash of the lines that the sums ought to have.
  private var sums = Sodium.SHA256()
  private let buffer = FileBuffer()

  init(
    path: String, draft: String, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (BackupProgress) -> Void
  ) throws(KennelError) {
    let input = try OpenFile(reading: path, followsLinks: true)
    try Self.checkBeginning(of: input)
    self.draft = draft
    self.isCancelled = isCancelled
    tell = progress
    self.input = input
  }

  /// Whether it begins as a backup does: a photo is not one that is cut short.
  private static func checkBeginning(of file: borrowing OpenFile) throws(KennelError) {
    guard try file.isRegular() else {
      throw KennelError(
        .badBackup, "A backup is restored from a file: copy it into one, and give the path of that.")
    }
    let buffer = FileBuffer()
    let count = try file.read(into: buffer.first(TarHeader.blockSize))
    try file.rewind()
    // Of a database that ustar cannot tell the size of, the first header is about the one that follows.
    let isOne = ["", TarHeader.extendedPrefix].contains { prefix in
      let name = Array("\(prefix)\(BackupContents.database.name)\0".utf8)
      return buffer.bytes(min(count, name.count)).elementsEqual(name.prefix(count))
    }
    guard count > 0, isOne else {
      throw KennelError(
        .badBackup, "That file is no backup of Kennel's. Give one that kennel backup has written.")
    }
  }

  mutating func read() throws(KennelError) -> BackupReport {
    try FileCalls.makeDirectory(draft)
    try FileCalls.makeDirectory(draft + "/photos")
    var last: BackupContents?
    while last != .sums {
      let (contents, size) = try nextHeader()
      // Each photo after the one before: so none comes twice.
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
    report.bytes = try input.size()
    try Self.checkDatabase(draft + "/" + BackupContents.database.name)
    return report
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
    if contents == .sums {
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
        tell(progress)
      }
    }
  }

  private mutating func block() throws(KennelError) -> [UInt8] {
    var block: [UInt8] = []
    try forEachPiece(of: TarHeader.blockSize, isContents: false) { block += $0 }
    return block
  }

  /// Whether a database has Kennel's tables and indexes and nothing that does something by itself, before anything of
  /// it is used.
  private static func checkDatabase(_ path: String) throws(KennelError) {
    let connection = try Connection(path: path, access: .reading, patience: .zero)
    let version = Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
    // A later one is refused, with a sentence of its own, when it is opened.
    guard version <= Migration.all.count else { return }
    let model = try Connection(path: ":memory:", access: .copying, patience: .zero)
    for migration in Migration.all.prefix(max(version, 0)) { try model.script(migration.script) }
    guard version > 0, try shape(of: connection) == shape(of: model) else {
      throw KennelError(.badBackup, "The backup's database is none of Kennel's. Use another backup.")
    }
  }

  private static func shape(of connection: Connection) throws(KennelError) -> [String] {
    try connection.rows(
      """
      SELECT type || ' ' || name || ' ' || tbl_name || CASE WHEN sql LIKE 'CREATE VIRTUAL%' THEN ' virtual' ELSE '' END
      FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1
      """
    ) { $0.text(0) }
  }

  private static let notOne = KennelError(
    .badBackup, "That file is no backup of Kennel's, or it is damaged. Use another one.")
  private static let damaged = KennelError(
    .badBackup, "The backup is damaged: a part of it has other bytes than it had. Use another one.")
  private static let cutShort = KennelError(
    .badBackup, "The backup is cut short. Copy all of it, or use another one.")
}
