#if !canImport(Darwin)
import CLinux
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension TrafficArchive {
  /// Writes the archive to a file that only its owner can read. An existing file is replaced completely.
  ///
  /// A symbolic link is followed and kept. The archive is written directly to a device or a pipe; for a named pipe,
  /// the call waits for a reader.
  ///
  /// - Parameter url: The file, by convention with the extension `har`.
  /// - Throws: `CocoaError.fileWriteUnknown` with an underlying `POSIXError` if the file cannot be written.
  public func write(to url: URL) throws {
    let data = try har()
    var status = stat()
    if stat(url.path, &status) != 0, lstat(url.path, &status) == 0 {
      // A link to a missing file: creates the file through the link, because only then can the link's target be
      // resolved.
      close(open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    }
    let url = url.resolvingSymlinksInPath()
    if stat(url.path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
      let descriptor = open(url.path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
      guard descriptor >= 0 else { throw Self.failure(url) }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try file.write(contentsOf: data)
      return try file.close()
    }
    let temporary = url.deletingLastPathComponent()
      .appendingPathComponent(".retriever-\(UUID().uuidString)")
    // Created with its final mode, so that others cannot open it at any time.
    let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(url) }
    do {
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try file.write(contentsOf: data)
      try file.close()
      guard rename(temporary.path, url.path) == 0 else { throw Self.failure(url) }
    } catch {
      unlink(temporary.path)
      throw error
    }
  }

  /// Returns the error for the C call that has just failed.
  private static func failure(_ url: URL) -> CocoaError {
    let cause = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    let reason = String(cString: strerror(cause.code.rawValue))
    return CocoaError(
      .fileWriteUnknown,
      userInfo: [
        NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: cause,
        NSLocalizedDescriptionKey: "Could not write the archive to \(url.path): \(reason).",
      ])
  }
}
#endif
