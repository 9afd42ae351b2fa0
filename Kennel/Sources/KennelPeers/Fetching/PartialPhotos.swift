import Foundation
import KennelModel
import KennelStorage

/// The directory of one peer's photos while they are fetched. A later process can resume after the last byte.
///
/// One photo at a time is fetched from a peer, so there is at most one file. Only the process that has locked the
/// directory fetches from the peer.
final class PartialPhotos: Sendable {
  private static let partSuffix = ".part"
  private static let tagSuffix = ".tag"

  private let path: String
  private let workQueue: BlockingWorkQueue<Void>
  private let lock: FileLock

  /// - Throws: `busy` if photos of the same peer are already being fetched.
  static func open(for peer: PeerAddress, in store: KennelStore) async throws(KennelError) -> PartialPhotos {
    // A host name may contain characters that are not allowed in a file name.
    let name = Sodium.sha256(Array(peer.name.utf8)).prefix(16).map {
      String(Int($0) + 256, radix: 16).dropFirst()
    }
    let peers = store.directory + "/peers"
    let path = "\(peers)/\(name.joined())"
    let workQueue = store.photos.workQueue
    return try await workQueue.run { () throws(KennelError) in
      try FileCalls.makeDirectory(peers)
      try FileCalls.makeDirectory(path)
      guard let lock = FileLock(try OpenFile(directory: path)) else {
        throw KennelError(
          .busy,
          "The posts of \(peer.name) are already being fetched. Wait until the other sync has finished.")
      }
      return PartialPhotos(path: path, workQueue: workQueue, lock: lock)
    }
  }

  private init(path: String, workQueue: BlockingWorkQueue<Void>, lock: FileLock) {
    self.path = path
    self.workQueue = workQueue
    self.lock = lock
  }

  /// Releases the lock, so that another process can fetch.
  func end() { lock.release() }

  /// Opens the partial file of a photo and deletes those of all other photos.
  func begin(_ hash: PhotoHash, byteCount: Int) async throws(KennelError) -> PartialPhoto {
    let name = "\(hash)"
    return try await workQueue.run { [path, workQueue] () throws(KennelError) in
      try FileCalls.forEachName(in: path) { other throws(KennelError) in
        if !other.hasPrefix(name) { try FileCalls.remove("\(path)/\(other)") }
      }
      return try PartialPhoto(
        file: OpenFile(appending: "\(path)/\(name)\(Self.partSuffix)"),
        tagPath: "\(path)/\(name)\(Self.tagSuffix)",
        byteCount: byteCount, workQueue: workQueue)
    }
  }
}

/// The first bytes of a photo. Only one task may use it at a time.
final class PartialPhoto: Sendable {
  private let file: OpenFile
  private let tagPath: String
  let byteCount: Int
  private let workQueue: BlockingWorkQueue<Void>
  var path: String { file.path }

  fileprivate init(
    file: consuming OpenFile, tagPath: String, byteCount: Int, workQueue: BlockingWorkQueue<Void>
  ) throws(KennelError) {
    self.file = file
    self.tagPath = tagPath
    self.byteCount = byteCount
    self.workQueue = workQueue
  }

  /// Returns the number of bytes that are stored, and the entity tag of the photo they belong to.
  func state() async throws(KennelError) -> (count: Int, tag: String?) {
    try await workQueue.run { [self] () throws(KennelError) in
      let count = try file.size()
      guard count > 0, let tag = try FileCalls.text(of: tagPath, limit: Self.maximumTagLength),
        Self.isStrong(tag)
      else {
        return (count, nil)
      }
      return (count, tag)
    }
  }

  /// Empties the file. The bytes that follow belong to this tag.
  func restart(tag: String?) async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in
      // The order matters: if the process is killed in between, no bytes are left with the wrong tag.
      try file.empty()
      try FileCalls.remove(tagPath)
      guard let tag, Self.isStrong(tag) else { return }
      try OpenFile(creating: tagPath).write(Array(tag.utf8))
    }
  }

  func append(_ bytes: Data) async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in try file.write(bytes) }
  }

  /// Removes the files if they still exist.
  func remove() async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in
      try FileCalls.remove(path)
      try FileCalls.remove(tagPath)
    }
  }

  private static let maximumTagLength = 200

  /// A weak tag does not guarantee that the bytes are the same (RFC 9110, section 8.8.1).
  private static func isStrong(_ tag: String) -> Bool {
    tag.utf8.count <= maximumTagLength && tag.hasPrefix("\"") && tag.hasSuffix("\"")
      && tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }
}
