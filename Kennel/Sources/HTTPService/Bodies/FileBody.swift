import Glibc

/// A part of an open file, as the body of a response.
final class FileBody: Sendable {
  let offset: Int64
  let length: Int64
  private let file: OpenFile

  init(_ file: OpenFile, offset: Int64, length: Int64) {
    self.file = file
    self.offset = offset
    self.length = length
  }

  /// Returns a new descriptor for a response, which closes it; nil if the process has no descriptor left.
  func duplicateDescriptor() -> Int32? {
    let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    return descriptor >= 0 ? descriptor : nil
  }
}

/// A regular file that is open for reading.
final class OpenFile: Sendable {
  let descriptor: Int32
  let size: Int64
  let modified: HTTPDate
  /// The tag made from the inode, the size and the modification time, so that a changed file has another tag.
  let entityTag: EntityTag

  init(path: String) throws(HTTPServerError) {
    // Without O_NONBLOCK, opening a FIFO without a writer would block forever.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      throw HTTPServerError(.unreadableFile, "The file cannot be opened", errno: errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw HTTPServerError(.unreadableFile, "The path is not a regular file.")
    }
    size = Int64(status.st_size)
    modified = HTTPDate(secondsSince1970: Int64(status.st_mtim.tv_sec))
    let words = [UInt64(status.st_ino), UInt64(size), UInt64(bitPattern: Int64(status.st_mtim.tv_sec))]
    entityTag = EntityTag(
      words.map { String($0, radix: 36) }.joined(separator: "-") + "-"
        + String(status.st_mtim.tv_nsec, radix: 36))
  }

  deinit { close(descriptor) }
}
