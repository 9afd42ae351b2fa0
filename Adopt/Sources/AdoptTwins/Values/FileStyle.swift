import SwiftSyntax

/// The formatting style of a file, so that added code looks like the rest.
package struct FileStyle: Sendable {
  var unit = "  "
  package private(set) var lineEnd = "\n"
  /// Whether the opening brace of a function is on its own line.
  var opensOnNextLine = false
  /// Whether `else` is on its own line.
  var elseOnNextLine = false

  init() {}

  package init(of text: String) {
    var style = Survey()
    // Scalars are split, because a carriage return and a line feed form one Character.
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      style.look(at: line)
    }
    unit = style.unit
    lineEnd = style.carriageReturns * 2 > style.lines ? "\r\n" : "\n"
    opensOnNextLine = style.bracesAlone > style.bracesAtEnd
    elseOnNextLine = opensOnNextLine || style.elseAlone > style.elseAfterBrace
  }

  private struct Survey {
    var lines = 0
    var carriageReturns = 0
    var bracesAlone = 0
    var bracesAtEnd = 0
    var elseAlone = 0
    var elseAfterBrace = 0
    private var tabs = 0
    private var steps: [Int: Int] = [:]
    private var lastIndent = 0
    private var lastOpened = false

    mutating func look(at line: String.UnicodeScalarView.SubSequence) {
      lines += 1
      var line = line
      if line.last == "\r" {
        carriageReturns += 1
        line = line.dropLast()
      }
      let indent = line.prefix { $0 == " " || $0 == "\t" }
      var body = line[indent.endIndex...]
      while let last = body.last, last == " " || last == "\t" { body = body.dropLast() }
      guard let first = body.first else { return }
      if indent.first == "\t" { tabs += 1 }
      // Only the indentation after an opening brace shows the unit; other lines may be aligned differently.
      if lastOpened, indent.first == " ", indent.count > lastIndent {
        steps[indent.count - lastIndent, default: 0] += 1
      }
      lastIndent = indent.count
      lastOpened = body.last == "{"
      if body.count == 1, first == "{" { bracesAlone += 1 } else if lastOpened { bracesAtEnd += 1 }
      let text = String(String.UnicodeScalarView(body.prefix(6)))
      if text.hasPrefix("else") { elseAlone += 1 } else if text.hasPrefix("} else") { elseAfterBrace += 1 }
    }

    var unit: String {
      let spaced = steps.values.reduce(0, +)
      if tabs > spaced { return "\t" }
      guard let step = steps.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return "  " }
      return String(repeating: " ", count: min(step, 8))
    }
  }
}

/// A line of code and its indentation depth.
struct Line: Sendable {
  var depth: Int
  var text: String
  /// Whether an opening brace follows, placed according to the file's style.
  var opens = false

  static let blank = Line(0, "")

  init(_ depth: Int, _ text: String, opens: Bool = false) {
    self.depth = depth
    self.text = text
    self.opens = opens
  }
}

extension [Line] {
  func indented(by depth: Int = 1) -> [Line] {
    map { $0.text.isEmpty ? $0 : Line($0.depth + depth, $0.text, opens: $0.opens) }
  }

  /// Returns the text without a line ending at the end.
  func text(base: String, style: FileStyle) -> String {
    var result: [String] = []
    for line in self {
      let indent = base + String(repeating: style.unit, count: line.depth)
      guard !line.text.isEmpty else {
        result.append("")
        continue
      }
      // A line may consist of several copied lines with relative indentation.
      let parts = line.text.split(separator: "\n", omittingEmptySubsequences: false)
      for part in parts { result.append(part.isEmpty ? "" : indent + part) }
      if line.opens, let last = result.popLast() {
        if style.opensOnNextLine { result += [last, indent + "{"] } else { result.append(last + " {") }
      }
    }
    return result.joined(separator: style.lineEnd)
  }
}
