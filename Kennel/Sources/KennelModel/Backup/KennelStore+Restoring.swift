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
  ///   - target: returns where the records and photos move to when they have been verified, for the directory that they are in
  ///     (default: they stay in the directory).
  ///   - progress: called often, on a thread that may be blocked briefly.
  /// - Throws: `badBackup` if the file is damaged or not a backup, or an error of the file system.
  package static func restore(
    from path: String, to directory: String, passphrase: BackupPassphrase? = nil,
    configuration: Configuration = Configuration(),
    target: (_ directory: String) async throws(KennelError) -> MoveTarget? = { _ in nil },
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
      }
      if let target = try await target(draft) {
        let moved = try await move(draft, to: target, configuration: configuration).missing
        let lost = moved.filter { !report.missing.contains($0) }
        report.missing += lost.prefix(max(0, StoreReport.maximumProblemCount - report.missing.count))
        // The files that were not moved may be the only ones.
        if lost.isEmpty {
          try await workQueue.run { () throws(KennelError) in try removeLeftFiles(in: draft) }
        }
      }
      try await workQueue.run { () throws(KennelError) in
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

  /// Removes the files that were copied to another place.
  private static func removeLeftFiles(in draft: String) throws(KennelError) {
    var names: [String] = []
    try FileCalls.forEachName(in: draft) { name in
      if name.contains(MoveTarget.leftMark) { names.append(name) }
    }
    for name in names { try? FileManager.default.removeItem(atPath: "\(draft)/\(name)") }
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
