/// What has to be written so that a terminal shows messages that stay, with lines below that change. A pure value.
package struct ScreenText: Sendable {
  private var shown: [String] = []

  package init() {}

  /// A message that stays; the changing lines are below it afterwards.
  package mutating func message(_ line: String) -> String {
    erase() + line + "\n" + shown.joined(separator: "\n")
  }

  /// Other changing lines.
  package mutating func show(_ lines: [String]) -> String {
    if lines == shown { return "" }
    defer { shown = lines }
    return erase() + lines.joined(separator: "\n")
  }

  private func erase() -> String {
    if shown.isEmpty { return "" }
    // To the start of the first changing line, and all below it cleared.
    return (shown.count > 1 ? "\u{1B}[\(shown.count - 1)A" : "") + "\r\u{1B}[J"
  }
}
