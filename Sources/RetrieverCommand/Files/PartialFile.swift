import Foundation
import Glibc
import TerminalProgram

/// An incomplete file, NAME.part, in the directory of its target. It is renamed when it is complete.
final class PartialFile: Sendable {
  let target: String
  private let writer: DescriptorWriter

  var path: String { Self.path(for: target) }
  static func path(for target: String) -> String { target + ".part" }
  static func recordPath(for target: String) -> String { path(for: target) + ".resume" }

  /// Opens the file and locks it.
  ///
  /// - Parameter offset: The number of bytes to keep. The rest is removed.
  init(for target: String, keeping offset: Int64) throws(Failure) {
    self.target = target
    let path = Self.path(for: target)
    let (descriptor, status) = try Self.openLocked(path, creates: offset == 0)
    writer = DescriptorWriter(descriptor, name: path, closes: true)
    // A record of other contents must not be used for those that follow.
    if offset == 0 { unlink(Self.recordPath(for: target)) }
    guard Int64(status.st_size) >= offset else {
      throw Failure(.fileSystem, "Could not continue \(path): it has changed. Try again.")
    }
    guard ftruncate(descriptor, off_t(offset)) == 0,
      lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset)
    else { throw .file("Could not continue \(path)", errno) }
  }

  /// Opens and locks a file.
  ///
  /// - Parameters:
  ///   - creates: Whether to create the file if there is none.
  ///   - opened: Called each time the file was opened, before it is locked.
  static func openLocked(
    _ path: String, creates: Bool, opened: () -> Void = {}
  ) throws(Failure) -> (descriptor: Int32, status: stat) {
    let creation = creates ? O_CREAT : 0
    for _ in 0..<100 {
      // Does not follow links, which another user could have planted.
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | creation, 0o666)
      guard descriptor >= 0 else {
        throw .file("Could not \(creates ? "create" : "continue") \(path)", errno)
      }
      opened()
      // The system releases the lock when the process ends, in any way.
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        break
      }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw Failure(.fileSystem, "Could not write \(path): it is not a regular file. Remove it first.")
      }
      // Another download may have renamed or removed the file before it released the lock.
      var named = stat()
      if lstat(path, &named) == 0, named.st_dev == status.st_dev, named.st_ino == status.st_ino {
        return (descriptor, status)
      }
      close(descriptor)
    }
    throw Failure(.fileSystem, "Another download is writing \(path). Wait until it ends.")
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
    guard let record = ResumeRecord.read(recordPath(for: target)),
      record.digest == ResumeRecord.digest(of: url),
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
