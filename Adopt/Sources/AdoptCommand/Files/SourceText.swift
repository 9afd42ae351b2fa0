import Foundation
import Glibc
import SystemFiles
import TerminalProgram

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

/// Replaces a file completely or not at all.
enum AtomicFile {
  /// Writes a temporary file in the same folder and renames it. The permissions of the file are kept, and a symbolic
  /// link to it stays a link.
  static func write(_ text: String, to path: String) throws(FileProblem) {
    let target = try target(of: path)
    var text = text
    let code = text.withUTF8 { AtomicReplacement.write(UnsafeRawBufferPointer($0), to: target) }
    guard code == 0 else { throw .system(path, "Could not write the file", code) }
  }

  private static func target(of path: String) throws(FileProblem) -> String {
    guard let place = try? OutputPlace(path) else { throw .system(path, "Could not write the file", ELOOP) }
    guard case .file(let target) = place else {
      throw FileProblem(path, "Could not replace the file: it is not a regular file.")
    }
    return target
  }
}

/// The reason why a file could not be read or written.
package struct FileProblem: Error, Sendable, Hashable {
  package let path: String
  /// Complete sentences, which do not name the file.
  package let message: String

  package init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  /// A failed system call. What was attempted is, for example, "Could not read the file".
  static func system(_ path: String, _ attempt: String, _ code: Int32) -> FileProblem {
    FileProblem(path, Failure.file(attempt, code).message)
  }
}
