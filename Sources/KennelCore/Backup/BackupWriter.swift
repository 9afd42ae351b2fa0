import Foundation

extension KennelStore {
  /// Writes all that is kept into one file, as it is at one moment, while others go on reading and writing.
  ///
  /// The file is a tar archive. It has the hashes of the passwords, without which nobody could sign in again, and so is
  /// for its owner's eyes only (mode 0600); sessions are not in it. It appears under its name when it is whole, in the
  /// place of one that stood there; but a pipe or a device is written to as it is.
  ///
  /// Cancelling ends it soon and leaves nothing.
  ///
  /// - Parameter progress: called often, on a thread that may be blocked for a moment.
  package func backUp(
    to target: BackupTarget, progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws(KennelError) -> BackupReport {
    let date = clock.now()
    let report = try await backups.runInterruptibly { [self] isCancelled throws(KennelError) in
      var writer = try BackupWriter(
        store: self, target: target, modified: Int(date.milliseconds / 1000), isCancelled: isCancelled,
        progress: progress)
      return try writer.write()
    }
    // Those that were kept for the backup.
    changes.removePhotos()
    return report
  }
}

/// Writes one backup. It blocks: it belongs on a thread of its own.
private struct BackupWriter: ~Copyable {
  private let store: KennelStore
  private let modified: Int
  private let isCancelled: @Sendable () -> Bool
  private let tell: @Sendable (BackupProgress) -> Void
  private var output: BackupOutput
  /// The lines of the sums so far.
  private let sums: TemporaryPhoto
  private var progress = BackupProgress()
  private var report = BackupReport()
  private let buffer = FileBuffer()

  init(
    store: KennelStore, target: BackupTarget, modified: Int, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (BackupProgress) -> Void
  ) throws(KennelError) {
    let sums = try store.photos.makeTemporaryFile()
    let output = try target.open(isCancelled: isCancelled)
    self.store = store
    self.modified = modified
    self.isCancelled = isCancelled
    tell = progress
    self.sums = sums
    self.output = output
  }

  mutating func write() throws(KennelError) -> BackupReport {
    do throws(KennelError) {
      try writeAll()
      try output.finish()
    } catch {
      output.abandon()
      throw error
    }
    try output.syncPlace()
    report.bytes = output.byteCount
    return report
  }

  private mutating func writeAll() throws(KennelError) {
    // Before the copy is made: what it names is there until the end.
    let held = try store.photos.holdRemovals()
    let copy = try store.photos.makeTemporaryFile()
    try makeCopy(at: copy.path)
    let database = try OpenFile(reading: copy.path)
    guard let hash = try PhotoDirectory.hash(of: database) else {
      throw KennelError(.failed, "The database's copy has no hash. Try again.")
    }
    try add(.database, database, hash: hash)
    try addPhotos(namedBy: copy.path)
    let lines = try OpenFile(reading: sums.path)
    try add(.sums, lines, hash: nil)
    try output.write([UInt8](repeating: 0, count: 2 * TarHeader.blockSize))
    withExtendedLifetime(held) {}
  }

  private mutating func makeCopy(at target: String) throws(KennelError) {
    let source = try Connection(
      path: store.directory + "/kennel.sqlite", access: .copying, patience: .seconds(5))
    try source.run("VACUUM INTO ?", .text(target))
    let copy = try Connection(path: target, access: .copying, patience: .zero)
    // A session is a key to the door: who has the backup must not have it. Nothing of it stays in free pages.
    try copy.script("PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON; DELETE FROM sessions;")
    progress.photoCount = try copy.first("SELECT count(*) FROM photos") { Int($0.integer(0)) }
  }

  private mutating func addPhotos(namedBy database: String) throws(KennelError) {
    let copy = try Connection(path: database, access: .reading, patience: .zero)
    var last: [UInt8] = []
    while true {
      let hashes = try copy.rows(
        "SELECT hash FROM photos WHERE hash > ? ORDER BY hash LIMIT 500", .blob(last)
      ) { $0.blob(0) }
      guard let end = hashes.last else { return }
      last = end
      for bytes in hashes {
        guard let hash = PhotoHash(bytes: bytes) else { continue }
        // Read twice, the second time from memory: a damaged photo must not get into an archive that says it is whole.
        guard (try? store.photos.computeHash(of: hash)) == hash else {
          if report.missing.count < KennelStore.problemLimit { report.missing.append(hash) }
          continue
        }
        let file = try OpenFile(reading: store.photos.location(hash))
        try add(.photo(hash), file, hash: hash)
        report.photos += 1
        progress.photos += 1
        tell(progress)
      }
    }
  }

  private mutating func add(
    _ contents: BackupContents, _ file: borrowing OpenFile, hash: PhotoHash?
  ) throws(KennelError) {
    let size = try file.size()
    try file.rewind()
    try output.write(TarHeader.blocks(name: contents.name, size: size, modified: modified))
    var left = size
    while left > 0 {
      if isCancelled() { throw .cancelled }
      let count = min(
        try file.read(into: buffer.first(left)), left
      )
      guard count > 0 else {
        throw KennelError(.inputOutput, "A file became shorter while it was backed up. Try again.")
      }
      try output.write(buffer.bytes(count))
      left -= count
      progress.bytes += count
      tell(progress)
    }
    try output.write([UInt8](repeating: 0, count: TarHeader.padding(after: size)))
    if let hash { try sums.file.write(contents.line(hash)) }
  }
}
