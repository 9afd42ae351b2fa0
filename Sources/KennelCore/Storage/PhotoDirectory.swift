import Foundation

/// The photos: a file each, named by the hash of its bytes, so that the same photo is kept once.
///
/// A photo is written to `incoming` first. It gets its place, and loses it, only while the database's write lock is
/// held: so whoever holds that lock, in whichever process, may trust what it sees. A marker in `incoming` stands for a
/// photo whose row is not committed yet; after a kill, the marker tells which file to look at.
package final class PhotoDirectory: Sendable {
  /// A photo's file.
  package struct File: Sendable, Hashable {
    package var path: String
    package var byteCount: Int
  }

  private static let partSuffix = ".part"
  private static let markerSuffix = ".placing"

  /// The directory; all photos lie side by side in it, so that one sync is enough for many.
  let path: String
  private let incoming: String
  let lane: Lane<Void>
  let sizeLimit: Int

  init(path: String, sizeLimit: Int) throws(KennelError) {
    self.path = path
    self.sizeLimit = sizeLimit
    incoming = path + "/incoming"
    lane = Lane("photos", slots: 4, waitingLimit: 20_000)
    try Sodium.begin()
    try FileCalls.makeDirectory(path)
    try FileCalls.makeDirectory(incoming)
    try FileCalls.syncDirectory(path)
  }

  /// Begins to take a photo in.
  package func beginUpload() async throws(KennelError) -> PhotoUpload {
    let file = try await lane.run { [self] () throws(KennelError) in try makeTemporaryFile() }
    return PhotoUpload(file: file, limit: sizeLimit, lane: lane)
  }

  /// Takes a whole photo in.
  package func stage(_ bytes: Data) async throws(KennelError) -> StagedPhoto {
    let upload = try await beginUpload()
    try await upload.append(bytes)
    return try await upload.finish()
  }

  /// Where a photo's bytes are; `byteCount` is what its post says.
  package func file(_ hash: PhotoHash, byteCount: Int) -> File {
    File(path: location(hash), byteCount: byteCount)
  }

  func location(_ hash: PhotoHash) -> String { "\(path)/\(hash)" }

  private var newIncomingPath: String {
    "\(incoming)/\(Sodium.base64(Sodium.randomBytes(16)))\(Self.partSuffix)"
  }

  func makeTemporaryFile() throws(KennelError) -> TemporaryPhoto {
    while true {
      let file = try OpenFile(creating: newIncomingPath)
      // Another process that cleans up may have taken it for a left-over before it was locked.
      if file.isLinked { return TemporaryPhoto(file: file, lane: lane) }
    }
  }

  /// Moves a whole file in that was fetched into the same file system; nil when its bytes are others than expected.
  func adopt(_ path: String, expecting hash: PhotoHash) async throws(KennelError) -> StagedPhoto? {
    try await lane.run { [self] () throws(KennelError) in
      var file = try OpenFile(appending: path)
      // Before it is moved: what lies unlocked in `incoming` is taken for a left-over.
      guard file.lockIfFree() else {
        throw KennelError(.busy, "Another program is fetching the same photo. Try again later.")
      }
      let byteCount = try file.size()
      guard try Self.hash(of: file) == hash, byteCount > 0 else { return nil }
      guard byteCount <= sizeLimit else { throw .photoTooLarge }
      try file.sync()
      try file.move(to: newIncomingPath)
      return StagedPhoto(hash: hash, byteCount: byteCount, file: TemporaryPhoto(file: file, lane: lane))
    }
  }

  /// Whether a photo's file is there with all of its bytes.
  func has(_ hash: PhotoHash, byteCount: Int) -> Bool { FileCalls.size(of: location(hash)) == byteCount }

  /// Gives a photo its place, with the write lock held.
  func place(
    _ photo: StagedPhoto, in transaction: WriteTransaction, ifUndone recover: @escaping () -> Void
  ) throws(KennelError) {
    let marker = "\(incoming)/\(photo.hash)\(Self.markerSuffix)"
    try FileCalls.makeFile(marker)
    transaction.atEnd { isCommitted in
      // One that stays is looked at, and removed, at the next start.
      if isCommitted { try? FileCalls.remove(marker) } else { recover() }
    }
    do throws(KennelError) {
      try FileCalls.rename(photo.path, to: location(photo.hash))
    } catch {
      // The job is done for the second time: the photo has its place since the first.
      guard has(photo.hash, byteCount: photo.byteCount) else { throw error }
    }
    syncBeforeCommit(transaction)
  }

  /// Removes a photo, with the write lock held.
  func remove(_ hash: PhotoHash, in transaction: WriteTransaction) throws(KennelError) {
    try FileCalls.remove(location(hash))
    syncBeforeCommit(transaction)
  }

  /// Keeps the files of photos in their places, in all processes, for as long as the answer lives: posts may be deleted
  /// meanwhile, and their photos' files go afterwards.
  func holdRemovals() throws(KennelError) -> FileLock { try FileLock(sharing: OpenFile(directory: path)) }

  /// Lets files be removed for as long as the answer lives; nil while somebody holds them.
  func beginRemovals() throws(KennelError) -> FileLock? { FileLock(try OpenFile(directory: path)) }

  private func syncBeforeCommit(_ transaction: WriteTransaction) {
    transaction.beforeCommit(.syncPhotos) { [path] () throws(KennelError) in
      try FileCalls.syncDirectory(path)
    }
  }

  /// Clears up what a kill or an undone transaction left, with the write lock held.
  func clearIncoming(isNeeded: (PhotoHash) throws(KennelError) -> Bool) throws(KennelError) {
    try FileCalls.forEachName(in: incoming) { name throws(KennelError) in
      let file = "\(incoming)/\(name)"
      if name.hasSuffix(Self.markerSuffix) {
        if let hash = PhotoHash(name.dropLast(Self.markerSuffix.count)), try !isNeeded(hash) {
          try FileCalls.remove(location(hash))
        }
        try FileCalls.remove(file)
      } else if name.hasSuffix(Self.partSuffix), let part = try? OpenFile(reading: file), part.lockIfFree() {
        try FileCalls.remove(file)
      }
    }
  }

  /// The SHA-256 of a photo's bytes as they are now.
  func computeHash(of hash: PhotoHash) throws(KennelError) -> PhotoHash? {
    try Self.hash(of: OpenFile(reading: location(hash)))
  }

  /// - Throws: `photoTooLarge` when it has more than `limit` bytes.
  static func hash(of file: borrowing OpenFile, limit: Int = .max) throws(KennelError) -> PhotoHash? {
    try file.rewind()
    var state = Sodium.SHA256()
    let buffer = FileBuffer()
    var left = limit
    while true {
      let count = try file.read(into: buffer.first(.max))
      if count == 0 { return PhotoHash(bytes: state.finish()) }
      guard count <= left else { throw .photoTooLarge }
      left -= count
      state.update(buffer.bytes(count))
    }
  }

  /// Hands over each photo's hash, and each name that is none.
  func forEachFile(
    photo: (PhotoHash) throws(KennelError) -> Void, stranger: (String) -> Void
  ) throws(KennelError) {
    try FileCalls.forEachName(in: path) { name throws(KennelError) in
      if let hash = PhotoHash(name) {
        try photo(hash)
      } else if name != "incoming" {
        stranger(name)
      }
    }
  }
}
