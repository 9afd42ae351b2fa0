import Foundation
import KennelStorage

extension KennelStore {
  /// Restores a backup into a directory that is empty or does not exist.
  ///
  /// The complete backup is first read into a directory next to the target and verified: names, sizes, hashes, and
  /// whether the database is a Kennel database. If a check fails, nothing is left behind.
  ///
  /// Cancelling stops it soon and leaves nothing behind.
  ///
  /// - Parameters:
  ///   - path: a file with a backup, a directory with backups, of which the latest is restored, or one file of its `snapshots`.
  ///   - passphrase: the passphrase of an encrypted backup, or nil.
  ///   - progress: called often, on a thread that may be blocked briefly.
  /// - Throws: `badBackup` if the file is damaged or not a backup, or an error of the file system.
  package static func restore(
    from path: String, to directory: String, passphrase: BackupPassphrase? = nil,
    configuration: Configuration = Configuration(),
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws(KennelError) -> BackupReport {
    let workQueue = BlockingWorkQueue<Void>("backups", slots: 1, maximumWaitingCount: 4)
    let place = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    let keys = passphrase.map(BackupKeys.init)
    let draft = "\(place).restoring-\(Sodium.base64(Sodium.randomBytes(9)))"
    do throws(KennelError) {
      let (contents, lock) = try await workQueue.runInterruptibly { isCancelled throws(KennelError) in
        try requireEmpty(directory)
        removeAbandoned(place)
        var reader = try BackupReader(
          path: path, draft: draft, keys: keys, isCancelled: isCancelled, progress: progress)
        try FileCalls.makeDirectory(draft)
        guard let lock = FileLock(try OpenFile(directory: draft)), FileCalls.kind(of: draft) == .directory
        else {
          throw KennelError(
            .inputOutput,
            "The directory \(draft) could not be locked. Make sure that no other restore is running, and try again."
          )
        }
        return (try reader.read(), lock)
      }
      defer { lock.release() }
      var report = contents
      report.missing = try await missingPhotos(in: draft, configuration)
      if Task.isCancelled { throw KennelError.cancelled }
      try await workQueue.run { () throws(KennelError) in
        // The order matters: the lineage must record the last shared number before numbers are skipped.
        try beginLineage(in: draft)
        try skipNumbers(in: draft)
        FileCalls.syncAll()
        // Replaces an empty directory, and nothing else.
        try FileCalls.rename(draft, to: place)
        try FileCalls.syncDirectory(FileCalls.parent(of: place))
      }
      return report
    } catch {
      _ = try? await workQueue.run { () throws(KennelError) in
        try? FileManager.default.removeItem(atPath: draft)
      }
      throw error
    }
  }

  /// Removes what a killed process has left of a backup that it restored to the same place.
  private static func removeAbandoned(_ place: String) {
    let name = FileCalls.name(of: place)
    AbandonedFiles.remove(in: FileCalls.parent(of: place)) {
      AbandonedFiles.isName($0, beginning: name + ".restoring-", end: "")
    }
  }

  private static func requireEmpty(_ directory: String) throws(KennelError) {
    guard FileManager.default.fileExists(atPath: directory) else { return }
    var isEmpty = true
    try FileCalls.forEachName(in: directory) { _ in isEmpty = false }
    guard isEmpty else {
      throw KennelError(
        .notAllowed,
        "The directory \(directory) is not empty. Move its contents, or choose another directory.")
    }
  }

  /// Opens the unpacked files as a store, rebuilds its search index, and checks them for consistency. The index of a backup may
  /// be damaged, or that of a forged one have other words than the posts.
  private static func missingPhotos(
    in draft: String, _ configuration: Configuration
  ) async throws(KennelError) -> [PhotoHash] {
    let store = try await KennelStore.open(draft, configuration: configuration)
    let report: StoreReport
    do throws(KennelError) {
      try await store.database.write { transaction throws(KennelError) in
        try SearchIndex.rebuild(transaction.connection)
      }
      report = try await store.check()
    } catch {
      await store.close()
      throw error
    }
    await store.close()
    var missing: [PhotoHash] = []
    for problem in report.problems {
      // The album shows another cover.
      if case .foreignCover = problem { continue }
      guard case .missing(let hash) = problem else {
        throw KennelError(
          .badBackup, "The backup is inconsistent: \(problem) Use another backup.")
      }
      missing.append(hash)
    }
    return missing
  }
}

/// Unpacks one backup. It blocks, so it must run on a separate thread.
private struct BackupReader: ~Copyable {
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

extension KennelStore {
  /// More numbers than are assigned between a backup and its restore.
  private static let skippedCount: Int64 = 100_000

  /// Skips numbers after a restore. Posts made after the backup are lost, but browsers cache their pictures by number,
  /// so these numbers must not be used again.
  static func skipNumbers(in directory: String) throws(KennelError) {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .copying, busyTimeout: .zero)
    for table in ["posts", "comments", "albums"] {
      try connection.run(
        """
        INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
        """, .text(table))
      // Near the maximum, which only a forged backup can reach, the numbers stay unchanged.
      try connection.run(
        "UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1 AND seq BETWEEN 0 AND ?3", .text(table),
        .integer(skippedCount), .integer(.max - skippedCount))
    }
    try connection.run(
      "UPDATE counters SET value = value + ?1 WHERE name = 'events' AND value BETWEEN 0 AND ?2",
      .integer(skippedCount), .integer(.max - skippedCount))
  }
}
