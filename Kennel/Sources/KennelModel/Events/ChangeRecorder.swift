import Foundation
import KennelStorage

/// Records the consequences of a change: its event, and the files that are no longer needed.
struct ChangeRecorder: Sendable {
  let database: any Records
  let photos: PhotoDirectory
  let blobs: any Blobs
  let log: EventLog
  let hub: EventHub

  /// Writes an event in the transaction of its change, and publishes it after the commit.
  ///
  /// - Parameters:
  ///   - heart: the user who gave or removed a heart.
  ///   - photo: the photo of a deleted post, or the one that a post had.
  func record(
    _ kind: KennelEvent.Kind, post: Int64, heart: KennelEvent.Heart? = nil, photo: PhotoHash? = nil,
    at date: Date, in transaction: WriteTransaction
  ) throws(KennelError) {
    try log.append(
      KennelEvent(id: 0, post: post, kind: kind, date: date, heart: heart, photo: photo), in: transaction)
    let connection = transaction.connection
    // The events are read from the log because another process on the same directory may have written events in
    // between.
    transaction.afterCommit(.publishEvents) { publishEvents(from: connection) }
  }

  /// Publishes the events in the log that are not published yet.
  private func publishEvents(from connection: any RecordConnection) {
    while let events = try? log.events(after: hub.lastID, limit: 1000, from: connection), !events.isEmpty {
      hub.publish(events)
    }
  }

  /// Returns the version of the content that a connection reads now.
  ///
  /// Events of other processes up to this version are published. So a page that names its last event never names one
  /// that its listeners do not know yet.
  func version(_ connection: any RecordConnection) throws(KennelError) -> ContentVersion {
    let version = try ContentVersion(connection)
    if version.lastEvent > hub.lastID { publishEvents(from: connection) }
    return version
  }

  /// Removes photos that are no longer used by a post. Those in a store are removed later (``KennelStore/sweepPhotos()``).
  func removePhotos() {
    database.writeLater { [self] transaction throws(KennelError) in try removePhotos(in: transaction) }
  }

  func removePhotos(in transaction: WriteTransaction) throws(KennelError) {
    guard blobs.sweeper == nil else { return }
    let limit = 100
    let connection = transaction.connection
    let hashes = try connection.rows("SELECT hash FROM removals LIMIT ?", .integer(Int64(limit))) {
      $0.blob(0)
    }
    if hashes.isEmpty { return }
    // If a backup holds the files, the notes stay. The files are removed after the backup.
    guard let lock = try photos.beginRemovals() else { return }
    transaction.atEnd { _ in withExtendedLifetime(lock) {} }
    for bytes in hashes {
      if let hash = PhotoHash(bytes: bytes) {
        // The transaction that removed the last post runs this again after the commit.
        if transaction.photosPendingRemoval.contains(hash) { continue }
        if try !Self.isNeeded(hash, connection) { try blobs.remove(hash, in: transaction) }
      }
      try connection.run("DELETE FROM removals WHERE hash = ?", .blob(bytes))
    }
    // The rest is removed after the jobs that are already waiting.
    if hashes.count == limit { transaction.afterCommit(.tidyPhotos) { removePhotos() } }
  }

  /// Cleans up after a transaction that was rolled back.
  func clearIncoming() {
    database.writeLater { [self] transaction throws(KennelError) in try clearIncoming(in: transaction) }
  }

  func clearIncoming(in transaction: WriteTransaction) throws(KennelError) {
    let connection = transaction.connection
    try photos.clearIncoming { hash throws(KennelError) in
      if transaction.photosPendingRemoval.contains(hash) { return true }
      return try Self.isNeeded(hash, connection)
    }
  }

  /// Returns whether a file is a photo of a post, or what was taken out of one.
  static func isNeeded(_ hash: PhotoHash, _ connection: any RecordConnection) throws(KennelError) -> Bool {
    try connection.first(
      "SELECT 1 FROM photos WHERE hash = ?1 UNION ALL SELECT 1 FROM parts WHERE hash = ?1",
      .blob(hash.bytes), row: { _ in true }) != nil
  }
}
