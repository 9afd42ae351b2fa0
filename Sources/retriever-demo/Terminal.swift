import Foundation

/// Prints the output of the demonstration in columns, and in colour on a terminal.
struct Terminal: Sendable {
  private let isColoured: Bool

  init() {
    let environment = ProcessInfo.processInfo.environment
    isColoured =
      isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
  }

  private enum Style: String {
    case bold = "1"
    case dim = "2"
    case green = "32"
    case red = "31"
  }

  private func styled(_ text: String, _ style: Style) -> String {
    isColoured ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Prints a line. Flushes it immediately, so that live lines are live through a pipe too.
  private func put(_ line: String) {
    print(line)
    fflush(nil)
  }

  func headline(_ text: String) { put("\n\(styled(text, .bold))\n") }

  /// Prints an event within a step.
  func event(_ text: String, _ note: String = "") {
    put("      · \(text.padded(to: 46))\(styled(note, .dim))".trimmingTrailingBlanks())
  }

  func passed(_ name: String, _ text: String, _ time: Duration) {
    put("  \(styled("✓", .green)) \(name.padded(to: 12))\(text.padded(to: 76))\(styled(time.short, .dim))")
  }

  func failed(_ name: String, _ error: any Error) {
    put("  \(styled("✗", .red)) \(name.padded(to: 12))\(Self.sentence(error))")
  }

  func summary(_ text: String, isGood: Bool) { put("\n\(styled(text, isGood ? .green : .red))\n") }

  private static func sentence(_ error: any Error) -> String {
    guard let error = error as? URLError else { return "\(error)" }
    return "\(error.localizedDescription) (URLError \(error.errorCode))"
  }
}

extension String {
  func padded(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self + " "
  }

  fileprivate func trimmingTrailingBlanks() -> String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}

extension Duration {
  /// The duration with about three digits, in a suitable unit: "0.31 ms", "12.4 ms", "1.20 s".
  var short: String {
    let seconds = self / .seconds(1)
    switch seconds {
    case ..<0.01: return String(format: "%.2f ms", seconds * 1000)
    case ..<1: return String(format: "%.1f ms", seconds * 1000)
    default: return String(format: "%.2f s", seconds)
    }
  }
}

extension BinaryInteger {
  /// The number with commas between the thousands, in any locale.
  var grouped: String {
    var digits = String(self)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
