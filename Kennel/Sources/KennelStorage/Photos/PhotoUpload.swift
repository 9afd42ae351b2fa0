import Foundation
import Synchronization

/// An upload of a photo into the store. Its bytes are written as they arrive. An upload that is released before it is
/// finished leaves no file.
package final class PhotoUpload: Sendable {
  private struct Writing: ~Copyable {
    var hash = Sodium.SHA256()
    var byteCount = 0
    var limit: UploadLimit

    consuming func finished() -> [UInt8] { hash.finish() }
  }

  private let file: TemporaryPhoto
  private let writing: Mutex<Writing?>
  private let workQueue: BlockingWorkQueue<Void>

  init(file: TemporaryPhoto, limit: UploadLimit, workQueue: BlockingWorkQueue<Void>) {
    self.file = file
    self.workQueue = workQueue
    writing = Mutex(Writing(limit: limit))
  }

  /// Appends bytes. Calls must not overlap.
  ///
  /// - Throws: `photoTooLarge`, or an error of the file system.
  package func append(_ bytes: Data) async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in try write(bytes) }
  }

  /// Syncs the bytes to the disk and ends the upload.
  package func finish() async throws(KennelError) -> StagedPhoto {
    try await workQueue.run { [self] () throws(KennelError) in try seal() }
  }

  private func write(_ bytes: Data) throws(KennelError) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(KennelError) in try write(buffer) }
    }
    try result.get()
  }

  /// Writes bytes on the calling thread.
  func write(_ bytes: UnsafeRawBufferPointer) throws(KennelError) {
    // The lock is held while writing, so overlapping calls are serialized in some order and not mixed.
    try writing.withLock { state throws(KennelError) in
      guard var writing = state.take() else { throw Self.over }
      try writing.limit.check(bytes, after: writing.byteCount)
      try file.file.write(bytes)
      writing.hash.update(bytes)
      writing.byteCount += bytes.count
      state = consume writing
    }
  }

  /// Ends the upload on the calling thread.
  func seal() throws(KennelError) -> StagedPhoto {
    let (hash, count) = try writing.withLock { state throws(KennelError) in
      guard let writing = state.take() else { throw Self.over }
      let count = writing.byteCount
      return (PhotoHash(bytes: (consume writing).finished()), count)
    }
    guard let hash, count > 0 else {
      throw KennelError(.badPhoto, "The photo is empty. Upload a file that is not empty.")
    }
    try file.file.sync()
    return StagedPhoto(hash: hash, byteCount: count, file: file)
  }

  private static let over = KennelError(.failed, "The upload has already ended. Start another one.")
}

/// A photo that is on the disk but has no post yet. If it is released before it has one, it is removed.
package final class StagedPhoto: Sendable {
  package let hash: PhotoHash
  package let byteCount: Int
  private let file: TemporaryPhoto
  /// The upload that the same file belongs to, with a lock of its own.
  private let upload: ResumableFile?

  init(hash: PhotoHash, byteCount: Int, file: TemporaryPhoto, upload: ResumableFile? = nil) {
    self.hash = hash
    self.byteCount = byteCount
    self.file = file
    self.upload = upload
  }

  /// Lets others lock the file for reading. It is still not removed as that of a killed process.
  package func shareLock() throws(KennelError) {
    try upload?.shareLock()
    try file.file.share()
  }

  /// The temporary path, for decoding the photo.
  package var path: String { file.path }
}

/// A file that is removed when it is released, unless it has been moved.
package final class TemporaryPhoto: Sendable {
  package let file: OpenFile
  private let workQueue: BlockingWorkQueue<Void>
  package var path: String { file.path }

  init(file: consuming OpenFile, workQueue: BlockingWorkQueue<Void>) {
    self.file = file
    self.workQueue = workQueue
  }

  deinit {
    let path = path
    // Removing a large file takes time, so the work queue does it unless it is closed. A file that cannot be removed
    // now is removed at the next start.
    workQueue.submit(CancellationTicket(), { () throws(KennelError) in try FileCalls.remove(path) }) {
      result in
      if case .failure = result { try? FileCalls.remove(path) }
    }
  }
}
