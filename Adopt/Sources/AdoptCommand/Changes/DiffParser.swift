/// Parses the output of `git diff -U0` into the new lines of each file.
struct DiffParser {
  /// The new path of a file in the repository, and its changed lines.
  struct Change: Hashable {
    var path: String
    var lines: [ClosedRange<Int>] = []
  }

  private var changes: [Change] = []
  /// The number of remaining removed and added lines of the current hunk. These lines may look like headers.
  private var removed = 0
  private var added = 0

  static func parse(_ text: String) -> [Change] {
    var parser = DiffParser()
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      parser.read(Substring(line))
    }
    return parser.changes.filter { !$0.lines.isEmpty }
  }

  private mutating func read(_ line: Substring) {
    if removed > 0, line.utf8.first == UInt8(ascii: "-") {
      removed -= 1
    } else if added > 0, line.utf8.first == UInt8(ascii: "+") {
      added -= 1
    } else if line.utf8.starts(with: "+++ ".utf8) {
      // A deleted file has no new path and no new lines.
      changes.append(Change(path: Self.path(line.dropFirst(4)) ?? ""))
    } else if line.utf8.starts(with: "@@ ".utf8) {
      readHunk(line)
    }
  }

  /// `@@ -12,3 +14,2 @@ …`
  private mutating func readHunk(_ line: Substring) {
    let words = line.split(separator: " ")
    guard words.count > 2, let old = Self.numbers(words[1]), let new = Self.numbers(words[2]) else { return }
    (removed, added) = (old.count, new.count)
    guard let last = changes.indices.last, !changes[last].path.isEmpty else { return }
    // If lines were only removed, the lines around the gap count as changed: a path may now bypass a call.
    let (first, end) =
      new.count > 0
      ? (new.start, new.start.addingReportingOverflow(new.count - 1))
      : (
        new.start, new.start.addingReportingOverflow(1)
      )
    guard !end.overflow, end.partialValue >= max(1, first) else { return }
    changes[last].lines.append(max(1, first)...end.partialValue)
  }

  private static func numbers(_ word: Substring) -> (start: Int, count: Int)? {
    let parts = word.dropFirst().split(separator: ",")
    guard let start = parts.first.flatMap({ Int($0) }), start >= 0 else { return nil }
    guard parts.count > 1 else { return (start, 1) }
    guard let count = Int(parts[1]), count >= 0 else { return nil }
    return (start, count)
  }

  /// Returns a path without `b/` and without the quotes around a name with unusual bytes, or nil for `/dev/null`.
  static func path(_ text: Substring) -> String? {
    var text = text
    // A tab follows a name that contains spaces.
    if text.hasSuffix("\t") { text.removeLast() }
    let name = text.hasPrefix("\"") ? unquoted(text) : String(text)
    guard name.hasPrefix("b/") else { return nil }
    return String(name.dropFirst(2))
  }

  /// Decodes the escape sequences of a C string.
  static func unquoted(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        var value = UInt(escaped - UInt8(ascii: "0"))
        for _ in 0..<2 {
          guard let digit = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { break }
          value = value * 8 + UInt(digit - UInt8(ascii: "0"))
          rest.removeFirst()
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
      case UInt8(ascii: "a"): bytes.append(7)
      case UInt8(ascii: "b"): bytes.append(8)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "v"): bytes.append(11)
      case UInt8(ascii: "f"): bytes.append(12)
      case UInt8(ascii: "r"): bytes.append(13)
      default: bytes.append(escaped)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
