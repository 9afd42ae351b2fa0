import Foundation
import Glibc

/// Reads the text of source files.
enum SourceText {
  /// The maximum size of a file in bytes. Handwritten files are smaller, and larger generated ones would use too much
  /// memory.
  static let maximumSize = 32 << 20

  /// Reads a file, or standard input for `-`.
  static func read(_ path: String) throws(FileProblem) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be read", errno) }
    defer { if path != "-" { close(descriptor) } }
    let bytes = try bytes(of: descriptor, path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FileProblem(path, "is not valid UTF-8, which Swift source files must be")
    }
    return text
  }

  private static func bytes(of descriptor: Int32, _ path: String) throws(FileProblem) -> [UInt8] {
    var status = stat()
    // One byte more than the size of the file, so that the end of the file is usually found without growing the buffer.
    let expected = fstat(descriptor, &status) == 0 ? min(Int(status.st_size), maximumSize) : 0
    var bytes: [UInt8] = []
    var piece = max(4096, expected + 1)
    while true {
      var code: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: piece) { buffer, count in
        let result = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if result < 0 { code = errno }
        count = max(0, result)
      }
      if code == EINTR { continue }
      if code != 0 { throw .system(path, "cannot be read", code) }
      if chunk.isEmpty { return bytes }
      if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
      guard bytes.count <= maximumSize else {
        throw FileProblem(path, "is larger than \(maximumSize >> 20) MiB, the maximum size of a source file")
      }
      piece = 65536
    }
  }
}
