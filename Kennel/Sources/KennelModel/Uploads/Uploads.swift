import Foundation
import KennelStorage

/// The uploads that can be resumed.
///
/// The database knows what was announced, and a file has the bytes. The size of the file is the offset, and it is reported
/// only after the file was synced. So a kill at any moment loses no byte that was acknowledged. A complete upload becomes a
/// post in the transaction that also records the post with the upload. So a client that did not receive the answer can ask
/// again, and there is no second post.
package final class Uploads: Sendable {
  /// Limits for each person.
  package struct Limits: Sendable {
    /// The maximum number of unfinished uploads.
    package var maximumCount = 50
    /// The maximum number of bytes that the unfinished uploads of a person have together when they are complete.
    package var maximumByteCount = 4 << 30
    /// How long an upload exists.
    package var lifetime = Duration.seconds(24 * 3600)

    package init() {}
  }

  package let limits: Limits
  let posts: Posts
  private let clock: KennelClock
  var database: any Records { posts.database }
  var photos: PhotoDirectory { posts.photos }

  init(posts: Posts, limits: Limits) {
    (self.posts, self.limits, clock) = (posts, limits, posts.clock)
  }

  /// Begins an upload.
  ///
  /// - Parameters:
  ///   - byteCount: the size of the complete file.
  ///   - description: what the client says about the upload. It is returned as it is.
  /// - Throws: `badText`, `badPhoto` for an empty file, `noSuchUser`, or `tooManyUploads`.
  package func begin(
    byteCount: Int, details: UploadDetails = UploadDetails(), description: String = "", by user: User.ID
  ) async throws(KennelError) -> Upload {
    try TextRules.check(details.caption, TextRules.caption, name: "caption")
    guard byteCount > 0 else { throw .emptyPhoto }
    let now = clock.now()
    let upload = Upload(
      id: Sodium.randomBytes(Upload.idSize), user: user, byteCount: byteCount, details: details,
      description: description, created: now,
      expires: now + TimeInterval(limits.lifetime.components.seconds))
    // The file is locked until its row is there, so nobody takes it for an abandoned one.
    let file = try await photos.workQueue.run { [photos] () throws(KennelError) in
      try photos.makeUpload(upload.name)
    }
    do throws(KennelError) {
      try await database.write { [limits] transaction throws(KennelError) in
        try Self.insert(upload, limits, at: now, transaction.connection)
      }
    } catch {
      try? FileCalls.remove(file.path)
      throw error
    }
    withExtendedLifetime(file) {}
    return upload
  }

  private static func insert(
    _ upload: Upload, _ limits: Limits, at now: Date, _ connection: any RecordConnection
  ) throws(KennelError) {
    let (count, byteCount) =
      try connection.first(
        #"SELECT count(*), coalesce(sum(bytes), 0) FROM uploads WHERE "user" = ? AND post IS NULL AND expires > ?"#,
        .integer(upload.user), .integer(now.milliseconds)
      ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    guard count < Int64(limits.maximumCount) else {
      throw KennelError(
        .tooManyUploads,
        "You have \(count) unfinished uploads. Finish or cancel some of them, or wait until they expire.")
    }
    guard Int64(upload.byteCount) <= Int64(limits.maximumByteCount) - byteCount else {
      throw KennelError(
        .tooManyUploads,
        "Your unfinished uploads have more than \(limits.maximumByteCount.inBinaryUnits) together. Finish or cancel some of them."
      )
    }
    do throws(KennelError) {
      try connection.run(
        """
        INSERT INTO uploads (id, "user", bytes, caption, shares_metadata, allows_duplicate, description, created, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, .blob(upload.id), .integer(upload.user), .integer(Int64(upload.byteCount)),
        .text(upload.details.caption), .integer(upload.details.sharesMetadata ? 1 : 0),
        .integer(upload.details.allowsDuplicate ? 1 : 0), .text(upload.description),
        .integer(upload.created.milliseconds), .integer(upload.expires.milliseconds))
    } catch  where error.isMissingReference {
      throw KennelError.noSuchUser
    }
  }

  /// Returns an upload of a user.
  ///
  /// - Throws: `noSuchUpload` if it does not exist, has expired, or belongs to another user.
  package func upload(_ name: String, of user: User.ID) async throws(KennelError) -> Upload {
    let now = clock.now().milliseconds
    guard let id = Upload.id(name) else { throw .noSuchUpload }
    let found = try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT id, "user", bytes, caption, shares_metadata, allows_duplicate, description, created, expires, post
        FROM uploads WHERE id = ? AND "user" = ? AND expires > ?
        """, .blob(id), .integer(user), .integer(now), row: Upload.init(row:))
    }
    guard let found else { throw .noSuchUpload }
    return found
  }

  /// Opens the file of an unfinished upload for one request.
  ///
  /// - Throws: `noSuchUpload`, or `busy` if another request is using it.
  package func open(_ upload: Upload) async throws(KennelError) -> OpenUpload {
    try await photos.workQueue.run { [photos] () throws(KennelError) in
      guard let file = try photos.openUpload(upload.name) else { throw .noSuchUpload }
      let offset = try file.sync()
      guard offset <= upload.byteCount else {
        throw KennelError(.damaged, "An upload has more bytes than were announced. Start it again.")
      }
      return OpenUpload(upload: upload, file: file, offset: offset, workQueue: photos.workQueue)
    }
  }

  /// Removes an upload. A post that it has become stays.
  package func remove(_ upload: Upload) async throws(KennelError) {
    try await database.write { [photos] transaction throws(KennelError) -> Void in
      try transaction.connection.run("DELETE FROM uploads WHERE id = ?", .blob(upload.id))
      transaction.atEnd { isCommitted in
        // A file that stays is removed as an abandoned one.
        if isCommitted { try? photos.removeUpload(upload.name) }
      }
    }
  }

  /// Returns the number of unfinished uploads of all people.
  package func unfinishedCount() async throws(KennelError) -> Int {
    try await database.read { connection throws(KennelError) in try Self.unfinishedCount(connection) }
  }

  static func unfinishedCount(_ connection: any RecordConnection) throws(KennelError) -> Int {
    try connection.first("SELECT count(*) FROM uploads WHERE post IS NULL") { Int($0.integer(0)) } ?? 0
  }

  /// Removes uploads that have expired, and what a killed process has left of uploads.
  package func sweep() async throws(KennelError) {
    try await database.write { [self] transaction throws(KennelError) in try sweep(in: transaction) }
  }

  func sweep(in transaction: WriteTransaction) throws(KennelError) {
    let connection = transaction.connection
    let now = clock.now().milliseconds
    let rows = try connection.rows("SELECT id, post IS NULL, expires FROM uploads") { row in
      (
        name: Sodium.base64(row.blob(0)), id: row.blob(0), isUnfinished: row.integer(1) != 0,
        isExpired: row.integer(2) <= now
      )
    }
    // The file of an upload may be on another machine.
    let hasAllFiles = connection.dialect == .sqlite
    var needed = Set<String>()
    let names = Set(try photos.uploadNames())
    for row in rows {
      let isMissing = hasAllFiles && row.isUnfinished && !names.contains(row.name)
      if row.isExpired || isMissing, try isUnused(row.name) {
        try connection.run("DELETE FROM uploads WHERE id = ?", .blob(row.id))
      } else if row.isUnfinished {
        needed.insert(row.name)
      }
    }
    let abandoned = names.subtracting(needed)
    transaction.atEnd { [self] isCommitted in
      guard isCommitted else { return }
      for name in abandoned {
        guard let file = try? photos.openUpload(name) else { continue }
        try? FileCalls.remove(file.path)
      }
    }
  }

  /// Returns whether no request is using the file of an upload.
  private func isUnused(_ name: String) throws(KennelError) -> Bool {
    do throws(KennelError) {
      _ = try photos.openUpload(name)
      return true
    } catch  where error.code == .busy {
      return false
    }
  }
}

extension KennelError {
  static let emptyPhoto = KennelError(.badPhoto, "The photo is empty. Upload a file that is not empty.")
}
