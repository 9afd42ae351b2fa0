import SwiftSyntax

/// The documentation comment of a function, from which lines about removed parameters can be deleted.
struct DocComment {
  /// The lines of the comment, without indentation.
  private(set) var lines: [String]

  /// Reads the comment directly before a declaration.
  init(above declaration: some SyntaxProtocol, base: String) {
    var collected: [String] = []
    for piece in declaration.leadingTrivia.pieces {
      switch piece {
      case .docLineComment(let text): collected.append(text)
      case .docBlockComment(let text):
        collected = text.replacing("\r\n", with: "\n").split(
          separator: "\n", omittingEmptySubsequences: false
        )
        .enumerated().map { $0.offset == 0 ? String($0.element) : Self.continuation($0.element, base: base) }
      case .newlines(let count), .carriageReturns(let count), .carriageReturnLineFeeds(let count):
        // A comment before a blank line belongs to other code.
        if count > 1 { collected = [] }
      case .lineComment, .blockComment: collected = []
      default: break
      }
    }
    lines = collected.map { Self.trimmingEnd($0) }
  }

  private static func continuation(_ line: Substring, base: String) -> String {
    if line.hasPrefix(base) { return String(line.dropFirst(base.count)) }
    let body = line.drop { $0 == " " || $0 == "\t" }
    // Stars are indented by one more space than the slash that opens the comment.
    return body.hasPrefix("*") ? " " + body : String(body)
  }

  private static func trimmingEnd(_ line: String) -> String {
    var line = line
    while let last = line.last, last.isWhitespace { line.removeLast() }
    return line
  }

  /// Removes the lines about some parameters, and optionally those about the result.
  mutating func remove(parameters: Set<String>, result: Bool) {
    var kept: [String] = []
    var skippedIndent: Int?
    var list: (place: Int, indent: Int, hasItems: Bool)?
    for line in lines {
      let (indent, text) = Self.content(of: line)
      if let limit = skippedIndent {
        // Lines that are indented further continue the removed entry, and so do lines without a blank line between.
        let isNewEntry = text.isEmpty || text.hasPrefix("- ") || text.hasPrefix("* ") || text.hasPrefix("#")
        if text != "*/", indent > limit && !text.isEmpty || !isNewEntry {
          if text.hasSuffix("*/") { kept.append(" */") }
          continue
        }
        skippedIndent = nil
      }
      if let open = list, !text.isEmpty, indent <= open.indent { close(open, in: &kept, &list) }
      if let name = Self.parameter(in: text, inList: list != nil) {
        if parameters.contains(name) {
          skippedIndent = indent
          if text.hasSuffix("*/") { kept.append(" */") }
          continue
        }
        list?.hasItems = true
      } else if text.lowercased() == "- parameters:" {
        list = (kept.count, indent, false)
      } else if result, text.lowercased().hasPrefix("- returns:") {
        skippedIndent = indent
        if text.hasSuffix("*/") { kept.append(" */") }
        continue
      }
      kept.append(line)
    }
    if let open = list { close(open, in: &kept, &list) }
    lines = Self.withoutTrailingBlanks(kept)
  }

  private func close(
    _ open: (place: Int, indent: Int, hasItems: Bool), in kept: inout [String],
    _ list: inout (place: Int, indent: Int, hasItems: Bool)?
  ) {
    if !open.hasItems, open.place < kept.count { kept.remove(at: open.place) }
    list = nil
  }

  /// Returns the text of a line and its indentation after `///` or `*`.
  private static func content(of line: String) -> (indent: Int, text: String) {
    var body = Substring(line)
    if body.hasPrefix("///") {
      body = body.dropFirst(3)
    } else if body.hasPrefix(" *"), !body.hasPrefix(" */") {
      body = body.dropFirst(2)
    }
    let indent = body.prefix { $0 == " " || $0 == "\t" }.count
    return (indent, String(body.dropFirst(indent)))
  }

  private static func parameter(in text: String, inList: Bool) -> String? {
    let lowered = text.lowercased()
    var rest: Substring
    if lowered.hasPrefix("- parameter ") {
      rest = text.dropFirst("- parameter ".count)
    } else if inList, lowered.hasPrefix("- ") {
      rest = text.dropFirst(2)
    } else {
      return nil
    }
    rest = rest.drop { $0 == " " || $0 == "`" }
    let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let after = rest.dropFirst(name.count).drop { $0 == " " || $0 == "`" }
    return after.hasPrefix(":") ? String(name) : nil
  }

  private static func withoutTrailingBlanks(_ lines: [String]) -> [String] {
    var lines = lines
    let closing =
      lines.last.map { $0.hasSuffix("*/") && content(of: $0).text == "*/" } == true ? lines.removeLast() : nil
    while let last = lines.last, last == "///" || last == " *" || last.isEmpty { lines.removeLast() }
    // Only the delimiters of the block comment are left.
    if closing != nil, lines.count <= 1, lines.allSatisfy({ $0 == "/**" }) { return [] }
    return lines + (closing.map { [$0] } ?? [])
  }
}
