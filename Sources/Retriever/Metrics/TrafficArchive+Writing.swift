#if !canImport(Darwin)
  import CLinux
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  extension TrafficArchive {
    /// Writes the archive to a file that only its owner can read. A file that is there already is replaced, whole.
    ///
    /// A symbolic link is followed, and stays. A device or a pipe is written into; who reads from a named pipe is
    /// waited for.
    ///
    /// - Parameter url: The file, by convention with the extension `har`.
    /// - Throws: `CocoaError.fileWriteUnknown` with the `POSIXError` below it when the file cannot be written.
    public func write(to url: URL) throws {
      let data = try har()
      var status = stat()
      if stat(url.path, &status) != 0, lstat(url.path, &status) == 0 {
        // A link to where nothing is yet: made through it, for only then can be said where that is.
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
      // Made with its mode, not changed to it later: there is no moment at which others could open it.
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

    /// The error for the C call that has just failed.
    private static func failure(_ url: URL) -> CocoaError {
      let cause = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      return CocoaError(
        .fileWriteUnknown,
        userInfo: [
          NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: cause,
          NSLocalizedDescriptionKey: "The archive could not be written to \(url.path).",
        ])
    }
  }
#endif
