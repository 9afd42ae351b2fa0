import AdoptAnalysis

/// The result of a check, independent of the output format.
struct CheckReport: Sendable {
  /// The findings, ordered by file and by place.
  var findings: [Finding] = []
  var problems: [FileProblem] = []
  var declined: [Decline] = []
  var fileCount = 0
  var handlerCount = 0
  /// The number of findings that are suppressed by a comment with a reason.
  var suppressedCount = 0
  /// The number of findings that are in the baseline.
  var knownCount = 0
  /// The number of findings that touch no changed line.
  var untouchedCount = 0
  var fixedCount = 0
  /// Whether a file does not parse, so that findings may be missing.
  var hasSyntaxErrors = false
  var hasBaseline = false
  /// The checked files by path, with the lines that findings refer to and the places of edits.
  var files: [String: CheckedFile] = [:]

  func line(at place: Place) -> String? { files[place.path]?.lines[place.line] }

  func place(of offset: Int, in path: String) -> Place? { files[path]?.places[offset] }

  /// A summary of one line.
  var summary: String {
    let place = fileCount == 1 ? "1 file" : "\(Self.grouped(fileCount)) files"
    let handlers = handlerCount == 1 ? "1 handler" : "\(Self.grouped(handlerCount)) handlers"
    var parts = [
      findings.isEmpty
        ? "\(handlers) in \(place), nothing found\(hasSyntaxErrors ? " in the code that parses" : "")"
        : "\(Self.grouped(findings.count)) finding\(findings.count == 1 ? "" : "s") on \(handlers) in \(place)"
    ]
    if fixedCount > 0 { parts.append("\(fixedCount) fixed") }
    if suppressedCount > 0 { parts.append("\(suppressedCount) suppressed") }
    if knownCount > 0 { parts.append("\(knownCount) in the baseline") }
    if untouchedCount > 0 { parts.append("\(untouchedCount) outside the changed lines") }
    return parts.joined(separator: "; ")
  }

  private static func grouped(_ number: Int) -> String {
    var text = String(number)
    var index = text.count - 3
    while index > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: index))
      index -= 3
    }
    return text
  }
}
