/// Computes the text that makes a terminal show permanent messages with changing lines below them. A value type.
public struct ScreenText: Sendable {
  private var shown: [String] = []

  /// Creates an empty screen text.
  public init() {}

  /// Returns the text that prints a permanent message above the changing lines.
  public mutating func message(_ line: String) -> String {
    erase() + line + "\n" + shown.joined(separator: "\n")
  }

  /// Returns the text that replaces the changing lines.
  public mutating func show(_ lines: [String]) -> String {
    if lines == shown { return "" }
    defer { shown = lines }
    return erase() + lines.joined(separator: "\n")
  }

  private func erase() -> String {
    if shown.isEmpty { return "" }
    // Moves to the start of the first changing line and clears everything below.
    return (shown.count > 1 ? "\u{1B}[\(shown.count - 1)A" : "") + "\r\u{1B}[J"
  }
}
