import Foundation
import Glibc
import TerminalProgram

/// An incomplete file, NAME.part, in the directory of its target. It is renamed when it is complete.
final class PartialFile: Sendable {
  let target: String
  private let writer: DescriptorWriter
  private let descriptor: Int32

  var path: String { Self.path(for: target) }
  static func path(for target: String) -> String { target + ".part" }
  static func recordPath(for target: String) -> String { path(for: target) + ".resume" }

  /// Opens the file and locks it.
  ///
  /// - Parameter offset: The number of bytes to keep. The rest is removed.
  init(for target: String, keeping offset: Int64) throws(Failure) {
    self.target = target
    let path = Self.path(for: target)
    // Does not follow links, which another user could have planted.
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw .file("Could not create \(path)", errno) }
    writer = DescriptorWriter(descriptor, name: path, closes: true)
    // The system releases the lock when the process ends, in any way.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(.fileSystem, "Another download is writing \(path). Wait until it ends.")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.fileSystem, "Could not write \(path): it is not a regular file. Remove it first.")
    }
    guard Int64(status.st_size) >= offset, ftruncate(descriptor, off_t(offset)) == 0,
      lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset)
    else { throw .file("Could not continue \(path)", errno) }
  }

  func write(_ data: Data) async throws(Failure) { try await writer.write(data) }

  /// Renames the complete file to its target.
  func finish(replaces: Bool) async throws(Failure) {
    // Renames while the lock is held, so that no other process can open the file in between.
    try FileSystem.move(path, to: target, replaces: replaces)
    unlink(Self.recordPath(for: target))
    try await writer.close()
  }

  /// Closes the file and leaves it for a later run.
  func keep() async { try? await writer.close() }

  func remove() async {
    unlink(path)
    unlink(Self.recordPath(for: target))
    try? await writer.close()
  }

  /// A partial file of an earlier run: its target, its record and its size.
  struct Leftover: Sendable {
    var target: String
    var record: ResumeRecord
    var offset: Int64
  }

  static func leftover(for target: String, url: URL) -> Leftover? {
    guard let record = ResumeRecord.read(recordPath(for: target)), record.url == ResumeRecord.name(of: url),
      let offset = FileSystem.size(path(for: target)), offset > 0
    else { return nil }
    return Leftover(target: target, record: record, offset: offset)
  }

  /// Finds a partial file in a directory, when only the server knows the file's name.
  static func leftover(in directory: String, url: URL) -> Leftover? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names.sorted() where name.hasSuffix(".part.resume") {
      let target = Destination.path(String(name.dropLast(".part.resume".count)), in: directory)
      if let leftover = leftover(for: target, url: url) { return leftover }
    }
    return nil
  }
}
