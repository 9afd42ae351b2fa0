import SwiftSyntax

/// The comments of a file that suppress findings: `// adopt:ignore never - the reason`, on the line of the finding
/// or above it.
struct Suppressions {
  static let marker = "adopt:ignore"

  private struct Suppression {
    let kinds: Set<Finding.Kind>
  }

  /// By line, from 0.
  private var byLine: [Int: Suppression] = [:]
  /// Lines on which nothing but a comment stands: what they suppress comes below.
  private var commentLines: Set<Int> = []
  /// Comments that suppress nothing, because they do not say what or why.
  private(set) var complaints: [Finding] = []

  init(_ file: ParsedFile) {
    guard file.text.utf8.count >= Self.marker.utf8.count else { return }
    for offset in Self.offsets(in: file) { read(at: offset, in: file) }
  }

  func covers(_ finding: Finding) -> Bool {
    let line = finding.place.line - 1
    if let suppression = byLine[line], suppression.kinds.contains(finding.kind) { return true }
    // Several may stand above each other.
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
    // In a string it is only text.
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
      complain(
        "there is no finding called '\(first)'; there are never, twice, nothing, lost and after", offset, file
      )
    } else if kinds.isEmpty {
      complain("say which finding is to be ignored, as in '\(Self.marker) never - the reason'", offset, file)
    } else if reason.isEmpty {
      complain(
        "say why, as in '\(Self.marker) \(named[0]) - the reason'; without a reason it is not ignored",
        offset, file)
    } else {
      byLine[line] = Suppression(kinds: kinds)
    }
  }

  /// The kinds before a dash or colon, and the reason behind it.
  private static func parts(of text: String) -> (kinds: [String], reason: String) {
    let end = text.firstIndex { "-–—:".contains($0) } ?? text.endIndex
    let kinds = text[..<end].split { $0.isWhitespace || $0 == "," }.map(String.init)
    let reason = text[end...].drop { "-–—:".contains($0) || $0.isWhitespace }
    let words = reason.reversed().drop { $0.isWhitespace }.reversed()
    return (kinds, String(words))
  }

  private mutating func complain(_ message: String, _ offset: Int, _ file: ParsedFile) {
    complaints.append(
      Finding(
        kind: .suppression, place: file.place(at: offset), handler: "", function: "", message: message,
        fingerprint: Fingerprint.of(.suppression, function: "", handler: "", statementAt: offset, in: file)))
  }
}
