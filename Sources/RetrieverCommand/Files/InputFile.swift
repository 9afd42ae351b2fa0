import Foundation
import Glibc
import Retriever
import TerminalProgram

/// Input from a file, a pipe or standard input.
enum InputFile {
  /// Opens a file, or standard input for a hyphen.
  ///
  /// Does not wait until a process opens a named pipe for writing, because nothing could cancel that. Reading the
  /// bytes of the file handle waits instead, until the task is cancelled.
  static func open(_ path: String) throws(Failure) -> FileHandle {
    guard path != "-" else {
      // Opening /dev/stdin would start at the beginning of a file, and fails for a socket.
      let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { throw .file("Could not read standard input", errno) }
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file("Could not read \(path)", errno) }
    _ = fcntl(descriptor, F_SETFL, 0)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Reads a file, or standard input for a hyphen.
  ///
  /// - Parameter limit: The maximum number of bytes. A larger file is an error.
  static func contents(_ path: String, atMost limit: Int) async throws(Failure) -> Data {
    let file = try open(path)
    var data = Data()
    do {
      for try await piece in file.bytes.chunks {
        data.append(piece)
        guard data.count <= limit else {
          throw Failure(.tooLarge, "The file \(path) is larger than \(ByteText.short(Int64(limit))).")
        }
      }
    } catch {
      throw failure(path, error)
    }
    return data
  }

  /// Converts an error of reading. The error of a file handle does not contain the path.
  private static func failure(_ path: String, _ error: any Error) -> Failure {
    guard let cause = (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? NSError else {
      return Failure(error)
    }
    return .file("Could not read \(path)", Int32(clamping: cause.code))
  }
}
