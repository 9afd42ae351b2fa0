import Dispatch
import Glibc
import TerminalProgram

/// The input from another program.
enum StandardInput {
  private static let maximumLength = 4096

  /// Reads the first line, which is a password.
  static func line() async throws -> String {
    let bytes: [UInt8] = await withCheckedContinuation { continuation in
      DispatchQueue(label: "kennel.input").async { continuation.resume(returning: read()) }
    }
    guard !bytes.isEmpty else {
      throw UsageError("standard input contains no password: the first line must be the password")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("the password on standard input is not valid UTF-8")
    }
    return text
  }

  private static func read() -> [UInt8] {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count < maximumLength, Glibc.read(STDIN_FILENO, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
