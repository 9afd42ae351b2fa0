import SwiftSyntax

/// The comments of a file that suppress findings: `// adopt:ignore never - the reason`, on the line of a finding or
/// above it.
struct Suppressions {
  static let marker = "adopt:ignore"

  private struct Suppression {
    let kinds: Set<Finding.Kind>
  }

  /// The suppressions by line, counted from 0.
  private var byLine: [Int: Suppression] = [:]
  /// Lines that contain only a comment. They suppress findings on the line below.
  private var commentLines: Set<Int> = []
  /// Findings for comments that suppress nothing, because they have no kind or no reason.
  private(set) var invalidSuppressions: [Finding] = []

  init(_ file: ParsedFile) {
    guard file.text.utf8.count >= Self.marker.utf8.count else { return }
    for offset in Self.offsets(in: file) { read(at: offset, in: file) }
  }

  func covers(_ finding: Finding) -> Bool {
    let line = finding.place.line - 1
    if let suppression = byLine[line], suppression.kinds.contains(finding.kind) { return true }
    // Several comments may be on consecutive lines.
    var above = line - 1
    while above >= 0, commentLines.contains(above) {
      if let suppression = byLine[above], suppression.kinds.contains(finding.kind) { return true }
      above -= 1
    }
    return false
  }

  private static func offsets(in file: ParsedFile) -> [Int] {
    var offsets: [Int] = []
    let marker = Array(marker.utf8)
    file.forEachWord { bytes, word in
      guard word.count == 5, bytes[word.lowerBound] == UInt8(ascii: "a"),
        bytes[word.lowerBound...].starts(with: marker)
      else { return }
      offsets.append(word.lowerBound)
    }
    return offsets
  }

  private mutating func read(at offset: Int, in file: ParsedFile) {
    // The marker has no meaning in a string.
    let token = file.tree.token(at: AbsolutePosition(utf8Offset: offset))
    if let token, token.trimmedBytes.contains(offset) { return }
    let line = file.line(at: offset)
    let start = file.lineStarts[line]
    let end = line + 1 < file.lineStarts.count ? file.lineStarts[line + 1] : file.text.utf8.count
    let before = file.text(in: start..<offset)
    guard before.contains("//") else { return }
    let isAlone = before.drop { $0 == " " || $0 == "\t" }.hasPrefix("//")
    let text = file.text(in: min(offset + Self.marker.utf8.count, end)..<end)
    let (named, reason) = Self.parts(of: text)
    var kinds: Set<Finding.Kind> = []
    var unknown: [String] = []
    for name in named {
      if name == "all" {
        kinds.formUnion(Finding.Kind.allCases)
      } else if let kind = Finding.Kind(rawValue: name), kind != .suppression {
        kinds.insert(kind)
      } else {
        unknown.append(name)
      }
    }
    if isAlone { commentLines.insert(line) }
    if let first = unknown.first {
      reportInvalid(
        "'\(first)' is not a kind of finding; use never, twice, nothing, lost or after", offset, file)
    } else if kinds.isEmpty {
      reportInvalid(
        "name the kind of finding to ignore, as in '\(Self.marker) never - the reason'", offset, file)
    } else if reason.isEmpty {
      reportInvalid(
        "give a reason, as in '\(Self.marker) \(named[0]) - the reason'; without one, it has no effect",
        offset, file)
    } else {
      byLine[line] = Suppression(kinds: kinds)
    }
  }

  /// Returns the kinds before a dash or colon, and the reason after it.
  private static func parts(of text: String) -> (kinds: [String], reason: String) {
    let end = text.firstIndex { "-–—:".contains($0) } ?? text.endIndex
    let kinds = text[..<end].split { $0.isWhitespace || $0 == "," }.map(String.init)
    let reason = text[end...].drop { "-–—:".contains($0) || $0.isWhitespace }
    let words = reason.reversed().drop { $0.isWhitespace }.reversed()
    return (kinds, String(words))
  }

  private mutating func reportInvalid(_ message: String, _ offset: Int, _ file: ParsedFile) {
    invalidSuppressions.append(
      Finding(
        kind: .suppression, place: file.place(at: offset), handler: "", function: "", message: message,
        fingerprint: Fingerprint.of(.suppression, function: "", handler: "", statementAt: offset, in: file)))
  }
}
