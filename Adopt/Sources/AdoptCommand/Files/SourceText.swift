import Foundation
import Glibc

/// The text of a file, as it is to be parsed.
enum SourceText {
  /// More than any file that people write; what is generated beyond that is not worth the memory.
  static let limit = 32 << 20

  /// Standard input for `-`.
  static func read(_ path: String) throws(FileProblem) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "cannot be read", errno) }
    defer { if path != "-" { close(descriptor) } }
    let bytes = try bytes(of: descriptor, path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FileProblem(path, "is not UTF-8, as Swift's source files have to be")
    }
    return text
  }

  private static func bytes(of descriptor: Int32, _ path: String) throws(FileProblem) -> [UInt8] {
    var status = stat()
    // One more than the file has: its end is then seen without another round.
    let expected = fstat(descriptor, &status) == 0 ? min(Int(status.st_size), limit) : 0
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
      guard bytes.count <= limit else {
        throw FileProblem(path, "is larger than \(limit >> 20) MiB, which is all that is looked at")
      }
      piece = 65536
    }
  }
}
