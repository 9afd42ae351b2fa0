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
    /// - Parameter url: The file, by convention with the extension `har`.
    /// - Throws: `CocoaError.fileWriteUnknown` with the `POSIXError` below it when the file cannot be written.
    public func write(to url: URL) throws {
      let data = try har()
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
