import AdoptAnalysis
import TerminalProgram

/// The findings in the format of compiler warnings, which editors can parse.
struct TextReport {
  let isColoured: Bool

  private enum Style: String {
    case bold = "1"
    case warning = "1;35"
    case note = "1;36"
    case caret = "1;32"
  }

  /// The maximum length of a line of source that is shown, in bytes.
  private static let maximumLineLength = 300

  func text(_ report: CheckReport) -> String {
    report.findings.map { text(of: $0, report) }.joined()
  }

  private func text(of finding: Finding, _ report: CheckReport) -> String {
    let message = "\(finding.message) [\(finding.kind.rawValue)]"
    var text = entry(finding.place, "warning", .warning, message, report)
    for note in finding.notes { text += entry(note.place, "note", .note, note.message, report) }
    for fixIt in finding.fixIts {
      guard let edit = fixIt.edits.first,
        let place = report.place(of: edit.range.lowerBound, in: finding.place.path)
      else { continue }
      text += entry(place, "note", .note, "fix: \(fixIt.message)", report)
    }
    if let advice = finding.advice { text += entry(advice.place, "note", .note, advice.message, report) }
    return text
  }

  private func entry(
    _ place: Place, _ word: String, _ style: Style, _ message: String, _ report: CheckReport
  ) -> String {
    let location = "\(DisplayText.safe(place.path)):\(place.line):\(place.column):"
    let head = painted(location, .bold) + " " + painted(word + ":", style) + " "
    let body = style == .warning ? painted(DisplayText.safe(message), .bold) : DisplayText.safe(message)
    return head + body + "\n" + excerpt(at: place, report)
  }

  private func excerpt(at place: Place, _ report: CheckReport) -> String {
    guard let line = report.line(at: place), line.utf8.count <= Self.maximumLineLength else { return "" }
    let before = String(decoding: line.utf8.prefix(place.column - 1), as: UTF8.self)
    // Tabs are kept, so that the caret lines up however wide the terminal shows them.
    let padding = before.map { character in
      character == "\t" ? "\t" : String(repeating: " ", count: DisplayText.width(String(character)))
    }
    return DisplayText.safe(line) + "\n" + padding.joined() + painted("^", .caret) + "\n"
  }

  private func painted(_ text: String, _ style: Style) -> String {
    isColoured ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}
