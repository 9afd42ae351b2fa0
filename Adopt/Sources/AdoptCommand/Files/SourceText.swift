import Foundation
import Glibc
import SystemFiles

/// Reads the text of source files.
enum SourceText {
  /// The maximum size of a file in bytes. Handwritten files are smaller, and larger generated ones would use too much
  /// memory.
  static let maximumSize = 32 << 20

  /// Reads a file, or standard input for `-`.
  static func read(_ path: String) throws(FileProblem) -> String {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path, "Could not read the file", errno) }
    defer { if path != "-" { close(descriptor) } }
    let bytes = try bytes(of: descriptor, path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FileProblem(path, "The file is not valid UTF-8, which Swift source files must be.")
    }
    return text
  }

  private static func bytes(of descriptor: Int32, _ path: String) throws(FileProblem) -> [UInt8] {
    let bytes: [UInt8]
    do {
      // One byte more than the maximum, to notice a larger file.
      bytes = try DescriptorIO.contents(of: descriptor, limit: maximumSize + 1)
    } catch {
      throw .system(path, "Could not read the file", error.code)
    }
    guard bytes.count <= maximumSize else {
      throw FileProblem(
        path, "The file is larger than \(maximumSize >> 20) MiB, the maximum size of a source file.")
    }
    return bytes
  }
}
