import Foundation
import KennelStorage

/// Removes photos from a store, outside of transactions. A directory needs none of this.
extension KennelStore {
  /// Removes the photos whose last post was deleted a while ago.
  ///
  /// A photo that is posted again at the same moment is not lost: no photo is stored by this machine while others are removed, and
  /// what is needed is decided in between. Another machine stores its photo again (``RemovalRound``). If the process ends after a photo was removed, the note of the removal stays, and it is removed again.
  ///
  /// - Returns: the number of photos.
  @discardableResult
  package func sweepPhotos() async throws(KennelError) -> Int {
    guard let sweeper = blobs.sweeper else { return 0 }
    let limit = 100
    let last = clock.now() - TimeInterval(sweeper.removalAge.components.seconds)
    var count = 0
    while true {
      let hashes = try await database.read { [clock] connection throws(KennelError) in
        try RemovalRound.due(until: last, now: clock.now(), limit: limit, connection)
      }
      guard !hashes.isEmpty, let removed = try await remove(hashes, sweeper) else { return count }
      count += removed
      if hashes.count < limit { return count }
    }
  }

  /// Removes photos that never got a row, because a process ended or a post was refused, and parts of photos that were not stored
  /// completely.
  ///
  /// - Returns: the number of photos.
  @discardableResult
  package func sweepOrphans() async throws(KennelError) -> Int {
    guard let sweeper = blobs.sweeper else { return 0 }
    let count = try await removeOrphans(sweeper)
    try await sweeper.removeUnfinished()
    return count
  }

  private func removeOrphans(_ sweeper: any BlobSweeper) async throws(KennelError) -> Int {
    var count = 0
    var last: PhotoHash?
    while true {
      let hashes = try await sweeper.oldPhotos(after: last)
      guard let end = hashes.last else { return count }
      last = end
      let orphans = try await database.read { connection throws(KennelError) in
        // What is in the list of removals has its own time.
        let removals = Set(try connection.rows("SELECT hash FROM removals") { $0.blob(0) })
        return try Self.unused(hashes, connection).filter { !removals.contains($0.bytes) }
      }
      if orphans.isEmpty { continue }
      guard let removed = try await remove(orphans, sweeper) else { return count }
      count += removed
    }
  }

  private static func unused(
    _ hashes: [PhotoHash], _ connection: any RecordConnection
  ) throws(KennelError) -> [PhotoHash] {
    var unused: [PhotoHash] = []
    for hash in hashes where try !ChangeRecorder.isNeeded(hash, connection) { unused.append(hash) }
    return unused
  }

  /// Removes those of some photos that have no row. Returns their number, or nil if nothing can be removed now, because a backup or
  /// an upload holds the photos.
  private func remove(
    _ hashes: [PhotoHash], _ sweeper: any BlobSweeper
  ) async throws(KennelError) -> Int? {
    let lock = try await photos.workQueue.run { [photos] () throws(KennelError) in
      try photos.beginRemovals()
    }
    guard let lock else { return nil }
    defer { lock.release() }
    let now = clock.now()
    let unused = try await database.write { transaction throws(KennelError) in
      let unused = try Self.unused(hashes, transaction.connection)
      try RemovalRound.begin(removing: unused, at: now, transaction.connection)
      return unused
    }
    // A machine that did not run for a while must not remove what was stored since then.
    guard clock.now() < now + RemovalRound.longestDecision else { return nil }
    try await sweeper.delete(unused)
    try await database.write { transaction throws(KennelError) -> Void in
      try RemovalRound.end(removing: hashes, transaction.connection)
    }
    return unused.count
  }
}
