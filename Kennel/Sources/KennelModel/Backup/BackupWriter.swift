import Foundation
import KennelStorage

extension KennelStore {
  /// Writes the complete store to one file, as it is at one moment. Other readers and writers can continue meanwhile.
  ///
  /// The file is a tar archive. It contains the password hashes, without which nobody could sign in again, and what was taken
  /// out of photos, so only its owner may read it (mode 0600). It does not contain sessions, secret
  /// links, tokens of other kennels, addresses of feeds and unfinished uploads. The file appears under its name when it is complete
  /// and replaces an existing file. A pipe or a device is written to directly.
  ///
  /// Cancelling stops it soon and leaves nothing behind.
  ///
  /// - Parameters:
  ///   - passphrase: the passphrase with which the backup is encrypted, or nil.
  ///   - progress: called often, on a thread that may be blocked briefly.
  package func backUp(
    to target: BackupTarget, passphrase: BackupPassphrase? = nil,
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws(KennelError) -> BackupReport {
    let date = clock.now()
    let report = try await backups.runInterruptibly { [self] isCancelled throws(KennelError) in
      let keys = try passphrase.map { passphrase throws(KennelError) in try BackupKeys(passphrase).makeNew() }
      let sums = try photos.makeTemporaryFile()
      let output = try target.open(encryptedWith: keys, isCancelled: isCancelled)
      var writer = BackupWriter(
        store: self, sums: sums, output: output, directory: nil,
        modified: Int(date.milliseconds / 1000), isCancelled: isCancelled, progress: progress)
      return try writer.write()
    }
    // Removes the photos that were kept only for the backup.
    changes.removePhotos()
    return report
  }
}

/// Writes one backup. It blocks, so it must run on a separate thread.
struct BackupWriter: ~Copyable {
  private let store: KennelStore
  private let modified: Int
  private let isCancelled: @Sendable () -> Bool
  private let reportProgress: @Sendable (BackupProgress) -> Void
  private var output: BackupOutput
  /// Where the photos are stored, or nil if the output has them.
  private let directory: BackupDirectory?
  /// The lines of the file of hashes so far.
  private let sums: TemporaryPhoto
  private var progress = BackupProgress()
  private var report = BackupReport()
  private let buffer = FileBuffer()

  init(
    store: KennelStore, sums: TemporaryPhoto, output: consuming BackupOutput, directory: BackupDirectory?,
    modified: Int, isCancelled: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (BackupProgress) -> Void
  ) {
    self.store = store
    self.modified = modified
    self.isCancelled = isCancelled
    reportProgress = progress
    self.sums = sums
    self.output = output
    self.directory = directory
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
    report.bytes += output.byteCount
    return report
  }

  private mutating func writeAll() throws(KennelError) {
    // This must come before the copy, so that every photo that the copy names exists until the end.
    let held = try store.photos.holdRemovals()
    let copy = try store.photos.makeTemporaryFile()
    try makeCopy(at: copy.path)
    let database = try OpenFile(reading: copy.path)
    guard let hash = try PhotoDirectory.hash(of: database) else {
      throw KennelError(.failed, "The copy of the database could not be hashed. Try again.")
    }
    try add(.database, database, hash: hash)
    try addPhotos(namedBy: copy.path)
    let lines = try OpenFile(reading: sums.path)
    try directory?.sync()
    try add(.sums, lines, hash: nil)
    try output.write([UInt8](repeating: 0, count: 2 * TarHeader.blockSize))
    withExtendedLifetime(held) {}
  }

  private mutating func makeCopy(at target: String) throws(KennelError) {
    let copy = try store.database.copy(to: target)
    // A copy of another database has no index of the search yet.
    try SearchIndex.update(copy)
    // Sessions, links and tokens of other kennels grant access, so the backup must not contain any: one that was revoked would work
    // again.
    // `secure_delete` also overwrites free pages.
    try copy.script(
      """
      PRAGMA secure_delete = ON;
      DELETE FROM sessions; DELETE FROM links; DELETE FROM account_links; DELETE FROM feeds; DELETE FROM uploads;
      DELETE FROM peer_tokens;
      """)
    try SearchIndex.removeDeletedWords(copy)
    progress.photoCount = try copy.first("SELECT count(*) FROM photos") { Int($0.integer(0)) }
  }

  private mutating func addPhotos(namedBy database: String) throws(KennelError) {
    let copy = try Connection(path: database, access: .reading, busyTimeout: .zero)
    var last: [UInt8] = []
    while true {
      let hashes = try copy.rows(
        """
        SELECT hash, 1, bytes FROM photos WHERE hash > ?1
        UNION SELECT hash, 0, bytes FROM parts WHERE hash > ?1 ORDER BY 1 LIMIT 500
        """, .blob(last)
      ) { (hash: $0.blob(0), isPhoto: $0.integer(1) != 0, byteCount: Int($0.integer(2))) }
      guard let end = hashes.last?.hash else { return }
      last = end
      for (bytes, isPhoto, byteCount) in hashes {
        guard let hash = PhotoHash(bytes: bytes) else { continue }
        if directory?.has(hash, byteCount: byteCount) ?? false {
          if isCancelled() { throw .cancelled }
          try sums.file.write(BackupContents.photo(hash).line(hash))
        } else if let file = try intactFile(hash, byteCount: byteCount) {
          try add(hash, file)
        } else {
          if report.missing.count < StoreReport.maximumProblemCount { report.missing.append(hash) }
          continue
        }
        // What was taken out of a photo belongs to the photo.
        guard isPhoto else { continue }
        report.photos += 1
        progress.photos += 1
        reportProgress(progress)
      }
    }
  }

  /// Returns the file of a photo, or nil if it is missing or damaged. It is read twice, the second time from the page cache: a
  /// damaged photo must not get into a backup.
  private func intactFile(_ hash: PhotoHash, byteCount: Int) throws(KennelError) -> BlobFile? {
    do throws(KennelError) {
      let file = try store.blobs.waitForFile(hash, byteCount: byteCount)
      return try PhotoDirectory.hash(of: file.open()) == hash ? file : nil
    } catch {
      // The photo is not missing if its store cannot be reached now, and a later backup can have it. One file that cannot be read must
      // not prevent all backups.
      guard error.isAboutPhoto || [EIO, EACCES, EPERM, ELOOP].contains(error.errno) else { throw error }
      return nil
    }
  }

  private mutating func add(_ hash: PhotoHash, _ photo: BlobFile) throws(KennelError) {
    let file = try photo.open()
    guard let directory else { return try add(.photo(hash), file, hash: hash) }
    if isCancelled() { throw .cancelled }
    report.bytes += try directory.add(hash, file, isCancelled: isCancelled)
    try sums.file.write(BackupContents.photo(hash).line(hash))
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
        throw KennelError(.inputOutput, "A file became shorter during the backup. Try again.")
      }
      try output.write(buffer.bytes(count))
      left -= count
      progress.bytes += count
      reportProgress(progress)
    }
    try output.write([UInt8](repeating: 0, count: TarHeader.padding(after: size)))
    if let hash { try sums.file.write(contents.line(hash)) }
  }
}
