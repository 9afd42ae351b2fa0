import Foundation

/// The photo files. Each one is named by the hash of its bytes, so the same photo is stored once.
///
/// A photo is first written to `incoming`. It is put in place and removed only while the database's write lock is held.
/// Therefore, a process that holds the lock sees a consistent state. A marker in `incoming` represents a photo whose
/// row is not committed yet. After a kill, the marker names the file to check.
package final class PhotoDirectory: Sendable {
  private static let partSuffix = ".part"
  private static let markerSuffix = ".placing"

  /// The directory. All photos are directly in it, so one directory sync is enough for many of them.
  package let path: String
  let incoming: String
  package let workQueue: BlockingWorkQueue<Void>
  package let limits: FileLimits
  package var maximumPhotoSize: Int { limits.photo }

  package convenience init(path: String, maximumPhotoSize: Int) throws(KennelError) {
    try self.init(path: path, limits: FileLimits(photo: maximumPhotoSize))
  }

  package convenience init(path: String, limits: FileLimits) throws(KennelError) {
    try self.init(inspecting: path, limits: limits)
    try FileCalls.makeDirectory(path)
    try FileCalls.makeDirectory(incoming)
    try FileCalls.syncDirectory(path)
  }

  /// For reading only: no directory is created.
  package init(inspecting path: String, limits: FileLimits) throws(KennelError) {
    self.path = path
    self.limits = limits
    incoming = path + "/incoming"
    workQueue = BlockingWorkQueue("photos", slots: 4, maximumWaitingCount: 20_000)
    try Sodium.begin()
  }

  /// Starts the upload of a photo.
  ///
  /// - Parameter limit: the maximum size (default: that of a photo or a video, depending on what it is).
  package func beginUpload(limit: Int? = nil) async throws(KennelError) -> PhotoUpload {
    let file = try await workQueue.run { [self] () throws(KennelError) in try makeTemporaryFile() }
    let limit = limit.map { UploadLimit($0) } ?? UploadLimit(limits)
    return PhotoUpload(file: file, limit: limit, workQueue: workQueue)
  }

  /// Stores a complete photo.
  package func stage(_ bytes: Data) async throws(KennelError) -> StagedPhoto {
    let upload = try await beginUpload()
    try await upload.append(bytes)
    return try await upload.finish()
  }

  /// Stores a file that a function writes in pieces. It blocks, so it must run on the work queue.
  ///
  /// - Parameter limit: the maximum size of the file.
  package func stage(
    limit: Int,
    _ write: ((UnsafeRawBufferPointer) throws(KennelError) -> Void) throws(KennelError) -> Void
  ) throws(KennelError) -> StagedPhoto {
    let upload = PhotoUpload(file: try makeTemporaryFile(), limit: UploadLimit(limit), workQueue: workQueue)
    try write { bytes throws(KennelError) in try upload.write(bytes) }
    return try upload.seal()
  }

  package func location(_ hash: PhotoHash) -> String { "\(path)/\(hash)" }

  var newIncomingPath: String {
    "\(incoming)/\(Sodium.base64(Sodium.randomBytes(16)))\(Self.partSuffix)"
  }

  package func makeTemporaryFile() throws(KennelError) -> TemporaryPhoto {
    TemporaryPhoto(file: try OpenFile(creating: newIncomingPath), workQueue: workQueue)
  }

  /// Adopts a complete file that was fetched to the same file system. Returns nil if its hash does not match.
  package func adopt(_ path: String, expecting hash: PhotoHash) async throws(KennelError) -> StagedPhoto? {
    try await workQueue.run { [self] () throws(KennelError) in
      var file = try OpenFile(appending: path)
      // The file must be locked before it is moved, because unlocked files in `incoming` are removed as left-overs.
      guard file.lockIfFree() else {
        throw KennelError(.busy, "Another program is fetching the same photo. Try again later.")
      }
      let byteCount = try file.size()
      guard try Self.hash(of: file) == hash, byteCount > 0 else { return nil }
      guard byteCount <= maximumPhotoSize else { throw .photoTooLarge }
      try file.sync()
      try file.move(to: newIncomingPath)
      return StagedPhoto(
        hash: hash, byteCount: byteCount, file: TemporaryPhoto(file: file, workQueue: workQueue))
    }
  }

  func marker(of hash: PhotoHash) -> String { "\(incoming)/\(hash)\(Self.markerSuffix)" }

  /// Returns whether a photo is being put in place, or a process was killed while it did.
  func isBeingPlaced(_ hash: PhotoHash) -> Bool { FileCalls.size(of: marker(of: hash)) != nil }

  /// Prevents all processes from removing photo files for as long as the returned lock exists. Posts can still be
  /// deleted; the files of their photos are removed afterwards.
  package func holdRemovals() throws(KennelError) -> FileLock {
    try FileLock(sharing: OpenFile(directory: path))
  }

  /// The same as ``holdRemovals()``, but returns nil instead of waiting while another process removes files.
  package func holdRemovalsIfFree() throws(KennelError) -> FileLock? {
    FileLock(sharingIfFree: try OpenFile(directory: path))
  }

  /// Allows files to be removed for as long as the returned lock exists. Returns nil while another process holds them.
  package func beginRemovals() throws(KennelError) -> FileLock? { FileLock(try OpenFile(directory: path)) }

  /// Notes that the kennel is in use for as long as the returned lock exists. Returns nil while it is moved.
  package func beginUse() throws(KennelError) -> FileLock? {
    FileLock(sharingIfFree: try OpenFile(directory: incoming))
  }

  /// Prevents the kennel from being used for as long as the returned lock exists. Returns nil while it is in use.
  package func beginMove() throws(KennelError) -> FileLock? { FileLock(try OpenFile(directory: incoming)) }

  /// Cleans up after a kill or a rolled back transaction. The write lock must be held.
  package func clearIncoming(isNeeded: (PhotoHash) throws(KennelError) -> Bool) throws(KennelError) {
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

  /// Returns the SHA-256 hash of the current bytes of a photo's file.
  func computeHash(of hash: PhotoHash) throws(KennelError) -> PhotoHash? {
    try Self.hash(of: OpenFile(reading: location(hash)))
  }

  /// - Throws: `photoTooLarge` if the file has more than `limit` bytes.
  package static func hash(of file: borrowing OpenFile, limit: Int = .max) throws(KennelError) -> PhotoHash? {
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
}

// For callers that have files and need to know whether the photos are already in the store.
extension PhotoDirectory {
  /// Returns the photo hash of a file.
  ///
  /// - Throws: `photoTooLarge`, or an error of the file system.
  package func hash(ofFileAt path: String) async throws(KennelError) -> PhotoHash {
    try await workQueue.run { [self] () throws(KennelError) in
      guard let hash = try Self.hash(of: OpenFile(reading: path), limit: limit(ofFileAt: path)) else {
        throw KennelError(.failed, "The photo at \(path) could not be hashed. Try again.")
      }
      return hash
    }
  }

  /// Returns the limit for the size of a file, which depends on what it is.
  ///
  /// - Throws: `photoTooLarge` or another error if the file is a video that is not accepted.
  func limit(ofFileAt path: String) throws(KennelError) -> Int {
    guard try limits.isVideo(Self.prefix(ofFileAt: path)) else { return limits.photo }
    if limits.video == 0 { throw .noVideos }
    if FileCalls.size(of: path) ?? 0 > limits.video { throw .videoTooLarge(limit: limits.video) }
    return limits.video
  }

  /// Copies a photo or a video from a file into the store, in pieces.
  ///
  /// - Throws: `photoTooLarge`, or an error of the file system.
  package func stage(fileAt path: String) async throws(KennelError) -> StagedPhoto {
    try await workQueue.run { [self] () throws(KennelError) in
      let source = try OpenFile(reading: path)
      let upload = PhotoUpload(
        file: try makeTemporaryFile(), limit: UploadLimit(limits), workQueue: workQueue)
      let buffer = FileBuffer()
      while true {
        let count = try source.read(into: buffer.first(.max))
        if count == 0 { return try upload.seal() }
        try upload.write(buffer.bytes(count))
      }
    }
  }

  /// Returns a photo that is in a file on the same file system. The file stays. It blocks.
  ///
  /// - Throws: `damaged` if the file has other bytes.
  package func stage(linking path: String, as photo: StoredPhoto) throws(KennelError) -> StagedPhoto {
    let source = try OpenFile(reading: path)
    guard try source.size() == photo.byteCount, try Self.hash(of: source) == photo.hash else {
      throw KennelError(.damaged, "The photo \(photo.hash) was altered. Copy it from a backup.")
    }
    let link = newIncomingPath
    guard try FileCalls.link(path, as: link) else {
      return try stage(limit: .max) { write throws(KennelError) in
        let buffer = FileBuffer()
        try source.rewind()
        while true {
          let count = try source.read(into: buffer.first(.max))
          if count == 0 { return }
          try write(buffer.bytes(count))
        }
      }
    }
    let file = TemporaryPhoto(file: try OpenFile(reading: link), workQueue: workQueue)
    return StagedPhoto(hash: photo.hash, byteCount: photo.byteCount, file: file)
  }

  /// Returns the first bytes of a file, which say what it is. It blocks.
  package static func prefix(ofFileAt path: String) throws(KennelError) -> [UInt8] {
    let file = try OpenFile(reading: path)
    let buffer = FileBuffer()
    let count = try file.read(into: buffer.first(UploadLimit.prefixSize), at: 0)
    return Array(buffer.bytes(count))
  }

  /// Refuses a large upload that would fill the disk: its file and the copy for others must fit, with a reserve.
  ///
  /// - Throws: `diskFull`.
  package func requireSpace(for byteCount: Int64) async throws(KennelError) {
    guard byteCount > PhotoLimits.maximumByteCount else { return }
    try await workQueue.run { [path] () throws(KennelError) in
      guard let space = FileCalls.space(at: path) else { return }
      let (needed, isTooMuch) = byteCount.multipliedReportingOverflow(by: 2)
      guard !isTooMuch, space.free - Self.reservedSpace >= needed else {
        throw KennelError(.diskFull, "The disk has not enough free space for the file.")
      }
    }
  }

  private static let reservedSpace: Int64 = 256 << 20
}
