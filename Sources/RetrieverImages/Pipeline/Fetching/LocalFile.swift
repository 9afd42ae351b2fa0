import Dispatch
import Foundation
import Glibc
import Retriever

/// Reads a local file, off the threads that run Swift's tasks.
enum LocalFile {
  static func read(_ url: URL, limits: ImageLimits) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async {
        continuation.resume(with: Result { try contents(url, limits: limits) })
      }
    }
  }

  private static func contents(_ url: URL, limits: ImageLimits) throws -> Data {
    // Nonblocking, so that `open` does not wait for the other end of a named pipe.
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw URLError(
        errno == ENOENT ? .fileDoesNotExist : .cannotOpenFile,
        message: "Could not open the file \(url.lastPathComponent): \(reason).", url: url)
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw URLError(
        .cannotOpenFile, message: "The path \(url.lastPathComponent) is not a regular file.", url: url)
    }
    guard status.st_size <= limits.bytes else { throw ImageError.tooManyBytes(Int(status.st_size), limits) }
    return try handle.read(upToCount: Int(status.st_size)) ?? Data()
  }
}

extension ImageError {
  static func tooManyBytes(_ count: Int, _ limits: ImageLimits) -> ImageError {
    ImageError(.tooLarge, "The image has at least \(count) bytes; the maximum is \(limits.bytes).")
  }
}
