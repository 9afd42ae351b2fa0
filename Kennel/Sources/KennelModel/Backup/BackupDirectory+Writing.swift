import Foundation
import KennelStorage

extension KennelStore {
  /// Adds a backup to a directory. Photos that another backup there already has are not written again.
  ///
  /// Each backup is complete and can be restored without the others. A backup that was interrupted at any moment leaves the
  /// earlier ones as they are.
  ///
  /// - Parameters:
  ///   - path: the directory, which is made if it does not exist.
  ///   - maximumCount: the number of backups to keep, or nil for all. Older ones are removed when the new one is complete.
  ///   - passphrase: the passphrase with which the directory is encrypted, or nil.
  ///   - progress: called often, on a thread that may be blocked briefly.
  package func backUp(
    toDirectory path: String, keeping maximumCount: Int? = nil, passphrase: BackupPassphrase? = nil,
    progress: @escaping @Sendable (BackupProgress) -> Void = { _ in }
  ) async throws(KennelError) -> BackupReport {
    let keys = passphrase.map(BackupKeys.init)
    let report = try await backups.runInterruptibly { [self] isCancelled throws(KennelError) in
      let directory = try BackupDirectory(writing: path, keys)
      // The directory is locked, so no other backup gets the same time.
      let date = try directory.dateOfNextSnapshot(now: clock.now())
      let name = BackupDirectory.snapshotName(date)
      let sums = try photos.makeTemporaryFile()
      let output = try BackupOutput(
        file: OpenFile(creating: directory.newDraft()), place: "\(directory.snapshots)/\(name)",
        directory.keys)
      var writer = BackupWriter(
        store: self, sums: sums, output: output, directory: directory,
        modified: Int(date.milliseconds / 1000), isCancelled: isCancelled, progress: progress)
      var report = try writer.write()
      if let maximumCount {
        report.removedBackups = try directory.removeOldest(
          keeping: maximumCount, with: name, keys, isCancelled)
      }
      return report
    }
    changes.removePhotos()
    return report
  }
}

extension BackupDirectory {
  /// Returns whether the directory has a photo, by its size.
  func has(_ hash: PhotoHash, byteCount: Int) -> Bool {
    let size = keys == nil ? byteCount : BackupEncryption.size(ofEncrypted: byteCount)
    return FileCalls.size(of: location(hash)) == size
  }

  /// Stores a photo. Its bytes are on the disk when this returns; its name is after ``sync()``.
  ///
  /// - Returns: the number of bytes that were written.
  func add(
    _ hash: PhotoHash, _ file: borrowing OpenFile, isCancelled: () -> Bool
  ) throws(KennelError) -> Int {
    let place = location(hash)
    try FileCalls.makeDirectory(FileCalls.parent(of: place))
    var output = try BackupOutput(file: OpenFile(creating: newDraft()), place: place, keys)
    do throws(KennelError) {
      try file.rewind()
      let buffer = FileBuffer()
      while true {
        if isCancelled() { throw .cancelled }
        let count = try file.read(into: buffer.first(.max))
        if count == 0 { break }
        try output.write(buffer.bytes(count))
      }
      try output.finish()
    } catch {
      output.abandon()
      throw error
    }
    return output.byteCount
  }

  /// Syncs the names of all photos to the disk. This must come before the backup appears.
  func sync() throws(KennelError) {
    try FileCalls.forEachName(in: objects) { name throws(KennelError) in
      try FileCalls.syncDirectory("\(objects)/\(name)")
    }
    try FileCalls.syncDirectory(objects)
  }

  /// Removes the oldest backups, and the photos that no other backup has. The backups are removed first, so each that is left is
  /// complete at any moment.
  ///
  /// - Parameters:
  ///   - maximumCount: the number of backups to keep.
  ///   - new: the name of the backup that was just made. It is always kept.
  /// - Returns: the number of backups that were removed.
  func removeOldest(
    keeping maximumCount: Int, with new: String, _ passphrase: BackupKeys?,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(KennelError) -> Int {
    // A file with another name, such as a renamed backup, may sort after the new one.
    let others = try snapshotNames().filter { $0 != new }
    let removed = others.dropLast(max(1, maximumCount) - 1)
    let kept = Array(others.dropFirst(removed.count)) + [new]
    for name in removed { try FileCalls.remove("\(snapshots)/\(name)") }
    try FileCalls.syncDirectory(snapshots)
    var needed: Set<String> = []
    for name in kept {
      for hash in try SnapshotReader.photos(of: "\(snapshots)/\(name)", passphrase, isCancelled) {
        needed.insert(FileCalls.name(of: location(hash)))
      }
    }
    try FileCalls.forEachName(in: objects) { folder throws(KennelError) in
      try FileCalls.forEachName(in: "\(objects)/\(folder)") { name throws(KennelError) in
        if !needed.contains(name) { try FileCalls.remove("\(objects)/\(folder)/\(name)") }
      }
    }
    return removed.count
  }
}
