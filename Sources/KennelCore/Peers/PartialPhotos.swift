import Foundation

/// Where the photos of one peer lie while they are fetched, so that a later process can go on after the last byte.
///
/// One photo at a time is fetched from a peer, so there is one file at most; whoever has the directory locked is the only
/// one who fetches from there.
final class PartialPhotos: Sendable {
  private static let partSuffix = ".part"
  private static let tagSuffix = ".tag"

  private let path: String
  private let lane: Lane<Void>
  /// Holds the lock.
  private let lock: FileLock

  /// - Throws: `busy` when the same peer's photos are being fetched already.
  static func open(for peer: PeerAddress, in store: KennelStore) async throws(KennelError) -> PartialPhotos {
    // A host may have characters that no file has.
    let name = Sodium.sha256(Array(peer.name.utf8)).prefix(16).map {
      String(Int($0) + 256, radix: 16).dropFirst()
    }
    let peers = store.directory + "/peers"
    let path = "\(peers)/\(name.joined())"
    let lane = store.photos.lane
    return try await lane.run { () throws(KennelError) in
      try FileCalls.makeDirectory(peers)
      try FileCalls.makeDirectory(path)
      guard let lock = FileLock(try OpenFile(directory: path)) else {
        throw KennelError(
          .busy, "Posts of \(peer.name) are being fetched already. Wait until that has ended.")
      }
      return PartialPhotos(path: path, lane: lane, lock: lock)
    }
  }

  private init(path: String, lane: Lane<Void>, lock: FileLock) {
    self.path = path
    self.lane = lane
    self.lock = lock
  }

  /// Nothing more is fetched: somebody else may.
  func end() { lock.release() }

  /// What is there of a photo; all others go.
  func begin(_ hash: PhotoHash, byteCount: Int) async throws(KennelError) -> PartialPhoto {
    let name = "\(hash)"
    return try await lane.run { [path, lane] () throws(KennelError) in
      try FileCalls.forEachName(in: path) { other throws(KennelError) in
        if !other.hasPrefix(name) { try FileCalls.remove("\(path)/\(other)") }
      }
      return try PartialPhoto(
        file: OpenFile(appending: "\(path)/\(name)\(Self.partSuffix)"),
        tagPath: "\(path)/\(name)\(Self.tagSuffix)",
        byteCount: byteCount, lane: lane)
    }
  }
}

/// The first bytes of a photo. One task uses it at a time.
final class PartialPhoto: Sendable {
  private let file: OpenFile
  private let tagPath: String
  let byteCount: Int
  private let lane: Lane<Void>
  var path: String { file.path }

  fileprivate init(
    file: consuming OpenFile, tagPath: String, byteCount: Int, lane: Lane<Void>
  ) throws(KennelError) {
    self.file = file
    self.tagPath = tagPath
    self.byteCount = byteCount
    self.lane = lane
  }

  /// How many bytes are there, and the entity tag of what they are the beginning of.
  func state() async throws(KennelError) -> (count: Int, tag: String?) {
    try await lane.run { [self] () throws(KennelError) in
      let count = try file.size()
      guard count > 0, let tag = try FileCalls.text(of: tagPath, limit: Self.tagLimit), Self.isStrong(tag)
      else {
        return (count, nil)
      }
      return (count, tag)
    }
  }

  /// Begins anew, with bytes of this tag to come.
  func restart(tag: String?) async throws(KennelError) {
    try await lane.run { [self] () throws(KennelError) in
      // In this order: killed in between, there are no bytes that would go with the wrong tag.
      try file.empty()
      try FileCalls.remove(tagPath)
      guard let tag, Self.isStrong(tag) else { return }
      try OpenFile(creating: tagPath).write(Array(tag.utf8))
    }
  }

  func append(_ bytes: Data) async throws(KennelError) {
    try await lane.run { [self] () throws(KennelError) in try file.write(bytes) }
  }

  /// The files go, if they still have their place.
  func remove() async throws(KennelError) {
    try await lane.run { [self] () throws(KennelError) in
      try FileCalls.remove(path)
      try FileCalls.remove(tagPath)
    }
  }

  private static let tagLimit = 200

  /// A weak tag does not tell whether the bytes are the same (RFC 9110, 8.8.1).
  private static func isStrong(_ tag: String) -> Bool {
    tag.utf8.count <= tagLimit && tag.hasPrefix("\"") && tag.hasSuffix("\"")
      && tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }
}
