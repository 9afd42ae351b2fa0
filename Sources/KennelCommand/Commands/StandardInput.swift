import Dispatch
import Glibc
import TerminalProgram

/// What another program hands over.
enum StandardInput {
  private static let lengthLimit = 4096

  /// The first line, which is a password.
  static func line() async throws -> String {
    let bytes: [UInt8] = await withCheckedContinuation { continuation in
      DispatchQueue(label: "kennel.input").async { continuation.resume(returning: read()) }
    }
    guard !bytes.isEmpty else {
      throw UsageError("there is no password on standard input: its first line is the password")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("the password on standard input is no text in UTF-8")
    }
    return text
  }

  private static func read() -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < lengthLimit, Glibc.read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
