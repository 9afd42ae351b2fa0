import Foundation

/// The file of an upload that can be resumed. It is locked as long as this object exists, so that one request at a time writes
/// to it, in any process.
package final class ResumableFile: Sendable {
  private let file: OpenFile
  package var path: String { file.path }

  fileprivate init(_ file: consuming OpenFile) { self.file = file }

  deinit { file.unlock() }

  /// Lets others lock the file for reading. Other requests still cannot write to it.
  func shareLock() throws(KennelError) { try file.share() }

  /// Syncs the file and returns its size. An upload never reports more bytes than these.
  package func sync() throws(KennelError) -> Int {
    try file.sync()
    return try file.size()
  }

  package func append(_ bytes: Data) throws(KennelError) { try file.write(bytes) }

  /// Returns the SHA-256 hash of the bytes.
  package func hash() throws(KennelError) -> PhotoHash? { try PhotoDirectory.hash(of: file) }

  fileprivate func forEachPiece(_ body: (UnsafeRawBufferPointer) throws(KennelError) -> Void)
    throws(KennelError)
  {
    try file.rewind()
    let buffer = FileBuffer()
    while true {
      let count = try file.read(into: buffer.first(.max))
      if count == 0 { return }
      try body(buffer.bytes(count))
    }
  }
}

/// The files of uploads that can be resumed. They are in `incoming`, under names that are not removed as those of a killed
/// process. The database has a row for each.
extension PhotoDirectory {
  private static let uploadSuffix = ".upload"

  private func uploadPath(_ name: String) -> String { "\(incoming)/\(name)\(Self.uploadSuffix)" }

  /// Creates the empty file of an upload. It blocks, as all of these functions, so it must run on the work queue.
  package func makeUpload(_ name: String) throws(KennelError) -> ResumableFile {
    let file = ResumableFile(try OpenFile(creating: uploadPath(name)))
    try FileCalls.syncDirectory(incoming)
    return file
  }

  /// Opens the file of an upload. Returns nil if it does not exist.
  ///
  /// - Throws: `busy` if another request is using it.
  package func openUpload(_ name: String) throws(KennelError) -> ResumableFile? {
    let path = uploadPath(name)
    guard FileCalls.size(of: path) != nil else { return nil }
    let file = try OpenFile(appending: path)
    guard file.lockIfFree() else {
      throw KennelError(.busy, "Another request is sending the same upload. Try again in a moment.")
    }
    return ResumableFile(file)
  }

  /// Removes the file of an upload. Succeeds if it does not exist.
  package func removeUpload(_ name: String) throws(KennelError) { try FileCalls.remove(uploadPath(name)) }

  /// Returns the names of the uploads that have a file.
  package func uploadNames() throws(KennelError) -> [String] {
    var names: [String] = []
    try FileCalls.forEachName(in: incoming) { name throws(KennelError) in
      if name.hasSuffix(Self.uploadSuffix) { names.append(String(name.dropLast(Self.uploadSuffix.count))) }
    }
    return names
  }

  /// Returns the complete file of an upload as a photo that can be posted. The file of the upload stays, so nothing is lost if
  /// the photo cannot be posted now.
  package func stage(_ upload: ResumableFile) throws(KennelError) -> StagedPhoto {
    let byteCount = try upload.sync()
    guard byteCount <= (try limit(ofFileAt: upload.path)) else { throw .photoTooLarge }
    let path = newIncomingPath
    // While the upload is locked, its second name is not removed as that of a killed process.
    guard let hash = try upload.hash(), try FileCalls.link(upload.path, as: path) else {
      return try stage(limit: .max) { write throws(KennelError) in try upload.forEachPiece(write) }
    }
    let file = TemporaryPhoto(file: try OpenFile(reading: path), workQueue: workQueue)
    return StagedPhoto(hash: hash, byteCount: byteCount, file: file, upload: upload)
  }
}
