import Glibc
import KennelModel
import QRCodes
import TerminalProgram

/// A link that a command prints, with a QR code if standard output is a terminal.
struct PrintedLink: Sendable {
  private let text: String

  /// - Parameter address: the address of the server, without a slash at its end, or nil if it is not known.
  init(_ new: NewAccountLink, address: String?) {
    text = (address ?? "") + "/join/" + new.token.text
  }

  func write(_ context: CommandContext) async throws {
    try await context.output.write("\(text)\n")
    // A program that reads the output needs only the link.
    guard Terminal.canRewrite(STDOUT_FILENO, context.environment), Terminal.usesUnicode(context.environment)
    else { return }
    let code = Self.drawing(of: text, width: Terminal.size(STDOUT_FILENO).width)
    if let code { try await context.output.write(code) }
  }

  /// Returns a QR code as text for a terminal, or nil if it is too wide. It is black on white, in any colours of the terminal.
  static func drawing(of text: String, width: Int) -> String? {
    guard let code = QRCode(text), code.size + 2 * QRCode.quietZone <= width else { return nil }
    return code.lines.map { "\u{1B}[38;5;16;48;5;231m\($0)\u{1B}[0m\n" }.joined()
  }
}
