import AdoptAnalysis

/// What a check has to say, before anybody decides how.
struct CheckReport: Sendable {
  /// In the order of the files and of the places in them.
  var findings: [Finding] = []
  var problems: [FileProblem] = []
  var declined: [Decline] = []
  var fileCount = 0
  var handlerCount = 0
  /// By a comment with a reason.
  var suppressedCount = 0
  /// Known from the baseline.
  var knownCount = 0
  /// Away from what changed.
  var untouchedCount = 0
  var fixedCount = 0
  var hasBaseline = false
  /// By path: the lines that findings name, and where edits are.
  var files: [String: CheckedFile] = [:]

  func line(at place: Place) -> String? { files[place.path]?.lines[place.line] }

  func place(of offset: Int, in path: String) -> Place? { files[path]?.places[offset] }

  /// One sentence.
  var summary: String {
    let place = fileCount == 1 ? "1 file" : "\(Self.grouped(fileCount)) files"
    let handlers = handlerCount == 1 ? "1 handler" : "\(Self.grouped(handlerCount)) handlers"
    var parts = [
      findings.isEmpty
        ? "\(handlers) in \(place), nothing found"
        : "\(Self.grouped(findings.count)) finding\(findings.count == 1 ? "" : "s") on \(handlers) in \(place)"
    ]
    if fixedCount > 0 { parts.append("\(fixedCount) fixed") }
    if suppressedCount > 0 { parts.append("\(suppressedCount) suppressed") }
    if knownCount > 0 { parts.append("\(knownCount) in the baseline") }
    if untouchedCount > 0 { parts.append("\(untouchedCount) away from the changes") }
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
