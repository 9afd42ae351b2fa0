import Glibc
import SystemFiles
import TerminalProgram

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
