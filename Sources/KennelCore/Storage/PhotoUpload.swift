import Foundation
import Synchronization

/// A photo on its way into the store: its bytes are written as they come. Dropped before its end, it leaves nothing.
package final class PhotoUpload: Sendable {
  private struct Writing: ~Copyable {
    var hash = Sodium.SHA256()
    var byteCount = 0

    consuming func finished() -> [UInt8] { hash.finish() }
  }

  private let file: TemporaryPhoto
  private let limit: Int
  private let writing: Mutex<Writing?>
  private let lane: Lane<Void>

  init(file: TemporaryPhoto, limit: Int, lane: Lane<Void>) {
    self.file = file
    self.limit = limit
    self.lane = lane
    writing = Mutex(Writing())
  }

  /// Writes more bytes; one call after the other.
  ///
  /// - Throws: `photoTooLarge`, or what the disk says.
  package func append(_ bytes: Data) async throws(KennelError) {
    try await lane.run { [self] () throws(KennelError) in try write(bytes) }
  }

  /// Brings the bytes to the disk.
  package func finish() async throws(KennelError) -> StagedPhoto {
    try await lane.run { [self] () throws(KennelError) in try seal() }
  }

  private func write(_ bytes: Data) throws(KennelError) {
    // Held while writing: who calls twice at once has it in some order, instead of mixed.
    try writing.withLock { state throws(KennelError) in
      guard var writing = state.take() else { throw Self.over }
      guard bytes.count <= limit - writing.byteCount else {
        throw KennelError(.photoTooLarge, "The photo has more than \(limit.inBinaryUnits). Make it smaller.")
      }
      try file.file.write(bytes)
      bytes.withUnsafeBytes { writing.hash.update($0) }
      writing.byteCount += bytes.count
      state = consume writing
    }
  }

  private func seal() throws(KennelError) -> StagedPhoto {
    let (hash, count) = try writing.withLock { state throws(KennelError) in
      guard let writing = state.take() else { throw Self.over }
      let count = writing.byteCount
      return (PhotoHash(bytes: (consume writing).finished()), count)
    }
    guard let hash, count > 0 else { throw KennelError(.badPhoto, "The photo is empty. Send its bytes.") }
    try file.file.sync()
    return StagedPhoto(hash: hash, byteCount: count, file: file)
  }

  private static let over = KennelError(.failed, "The upload is over: begin another one.")
}

/// A photo whose bytes are on the disk, without a post yet. Dropped before it has one, it leaves nothing.
package final class StagedPhoto: Sendable {
  package let hash: PhotoHash
  package let byteCount: Int
  private let file: TemporaryPhoto

  init(hash: PhotoHash, byteCount: Int, file: TemporaryPhoto) {
    self.hash = hash
    self.byteCount = byteCount
    self.file = file
  }

  /// Where it is for now: what a decoder reads.
  package var path: String { file.path }
}

/// A file that is removed with its owner, unless it has been moved.
final class TemporaryPhoto: Sendable {
  let file: OpenFile
  private let lane: Lane<Void>
  var path: String { file.path }

  init(file: consuming OpenFile, lane: Lane<Void>) {
    self.file = file
    self.lane = lane
  }

  deinit {
    let path = path
    // Removing a large file takes a while, so it is the lane's work, unless that takes none any more. What cannot be
    // removed now is removed at the next start.
    lane.submit(LaneTicket(), { () throws(KennelError) in try FileCalls.remove(path) }) { result in
      if case .failure = result { try? FileCalls.remove(path) }
    }
  }
}
