import Foundation

/// Where the photos of a kennel are, and what was taken out of them: a directory, or a store that this machine reaches over
/// the network. Each has the hash of its bytes as its name.
///
/// Whether a photo exists is decided by its row in the database. It is stored completely before the row is committed. Files that
/// arrive, and those that a program needs to read, are in the local directory in any case.
package protocol Blobs: Sendable {
  // MARK: Writing

  /// Stores a photo where that takes long, before the transaction of its row begins.
  ///
  /// - Returns: what keeps the photo from being removed until the transaction has ended; nil if nothing has to.
  /// - Throws: an error of the file system or of the store. Nothing is lost: the photo is still in its local file.
  func put(_ photo: StagedPhoto) async throws(KennelError) -> FileLock?

  /// Returns whether a photo that has a row is stored. The write lock must be held, so this must not take long.
  func has(_ hash: PhotoHash, byteCount: Int) -> Bool

  /// Puts a photo in place. The write lock must be held, and ``put(_:)`` must have been called.
  func place(
    _ photo: StagedPhoto, in transaction: WriteTransaction, ifUndone recover: @escaping () -> Void
  ) throws(KennelError)

  /// Removes a photo, or notes that it can be removed. The write lock must be held.
  func remove(_ hash: PhotoHash, in transaction: WriteTransaction) throws(KennelError)

  /// What removes photos that no post uses; nil if ``remove(_:in:)`` removes them.
  var sweeper: (any BlobSweeper)? { get }

  // MARK: Reading

  /// Returns the bytes of a photo for a response.
  ///
  /// - Parameter byteCount: the size recorded with its post.
  func body(of hash: PhotoHash, byteCount: Int) async throws(KennelError) -> BlobBody

  /// Returns a local file with the bytes of a photo, for programs that need one.
  ///
  /// - Parameter byteCount: the size recorded with its post, or nil if only the hash is known.
  /// - Throws: an error of the store, or an error that a photo is missing or damaged. A file of a directory is not opened, so
  ///   opening it may fail.
  func file(_ hash: PhotoHash, byteCount: Int?) async throws(KennelError) -> BlobFile

  /// Returns the same as ``file(_:byteCount:)`` on a thread that may be blocked.
  func waitForFile(_ hash: PhotoHash, byteCount: Int) throws(KennelError) -> BlobFile

  /// Returns whether the file of a photo can probably be read. It blocks, but not for long.
  func isReadable(_ hash: PhotoHash, byteCount: Int) -> Bool

  /// Whether the photos could be reached when one was last needed. If not, this finds out in the background whether that has
  /// changed.
  var isReachable: Bool { get }

  // MARK: Moving

  /// Stores a photo of a kennel that is moved here. Its row comes later.
  func receive(_ photo: StagedPhoto) async throws(KennelError)

  /// Returns whether a photo that an interrupted move has stored with the right size is right. What was verified when it was stored is
  /// not read again if that would transfer it.
  func isReceived(_ photo: StoredPhoto) async throws(KennelError) -> Bool

  // MARK: Checking

  /// Returns which of some photos are missing or have another size. They are in the order of their hashes.
  func missing(among photos: [StoredPhoto]) async throws(KennelError) -> [StoredPhoto]

  /// Returns whether a photo is still missing. The database is between two commits.
  func isStillMissing(_ photo: StoredPhoto) -> Bool

  /// Returns whether the bytes of a photo have its hash. All of them are read.
  func isIntact(_ photo: StoredPhoto) async throws(KennelError) -> Bool

  /// Calls one closure with the hash of each stored photo, and another with each name that is not a hash. It blocks.
  func forEachStored(
    photo: (PhotoHash) throws(KennelError) -> Void, unknownFile: (String) -> Void
  ) throws(KennelError)

  /// Returns whether a photo without a row is still stored, although no process is about to use it. The database is between
  /// two commits.
  func isStillUnused(_ hash: PhotoHash) -> Bool
}

extension Blobs {
  package var isReachable: Bool { true }
}

/// Removes photos that no post uses from a store, later and outside of transactions. Nothing must be able to put a photo meanwhile
/// (``PhotoDirectory/beginRemovals()``).
package protocol BlobSweeper: Sendable {
  /// How long a photo stays after its last post was deleted.
  var removalAge: Duration { get }

  /// Removes photos. Those that do not exist are not an error.
  func delete(_ hashes: [PhotoHash]) async throws(KennelError)

  /// Returns photos that are stored for so long that they have a row if they are needed, in the order of their hashes. The
  /// result is empty at the end.
  func oldPhotos(after last: PhotoHash?) async throws(KennelError) -> [PhotoHash]

  /// Removes what is left of photos that were being stored when a process ended, and that no list of photos contains.
  func removeUnfinished() async throws(KennelError)
}

/// A photo with the size that its row has.
package struct StoredPhoto: Sendable, Hashable {
  package var hash: PhotoHash
  package var byteCount: Int

  package init(_ hash: PhotoHash, byteCount: Int) { (self.hash, self.byteCount) = (hash, byteCount) }
}

/// The bytes of a photo for a response.
package enum BlobBody: Sendable {
  /// A local file with all bytes.
  case file(BlobFile)
  /// Opens a range of the bytes. It fails before the first byte if the store cannot be reached.
  case chunks(open: @Sendable (Range<Int64>) async throws(KennelError) -> BlobChunks)
}

/// A range of the bytes of a photo, as they arrive.
package struct BlobChunks: Sendable {
  private let pass: @Sendable ((Data) async throws -> Void) async throws -> Void

  package init(_ pass: @escaping @Sendable ((Data) async throws -> Void) async throws -> Void) {
    self.pass = pass
  }

  /// Passes on all chunks. It can be called once.
  ///
  /// - Throws: an error if the bytes cannot be read completely, or the error of the closure.
  package func write(to write: (Data) async throws -> Void) async throws { try await pass(write) }
}

/// A local file with the bytes of a photo. The file has its name at least as long as this object exists, unless its photo is
/// removed.
package final class BlobFile: Sendable {
  package let path: String
  private let lock: FileLock?

  /// - Parameter lock: what keeps the file from being removed to free space.
  package init(path: String, lock: FileLock? = nil) { (self.path, self.lock) = (path, lock) }

  /// Opens the file.
  package func open() throws(KennelError) -> OpenFile { try OpenFile(reading: path) }
}
