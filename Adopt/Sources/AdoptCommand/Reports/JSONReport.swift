import AdoptAnalysis
import Foundation

/// The findings as JSON, for other programs. Within one version of the format, fields are never removed.
struct JSONReport: Encodable {
  struct Location: Encodable {
    var file: String
    var line: Int
    var column: Int

    init(_ place: Place) {
      file = place.path
      line = place.line
      column = place.column
    }
  }

  struct Note: Encodable {
    var location: Location
    var message: String
  }

  struct Edit: Encodable {
    /// The offset in UTF-8 bytes from the beginning of the file.
    var start: Int
    var end: Int
    var replacement: String
  }

  struct Fix: Encodable {
    var message: String
    var edits: [Edit]
  }

  struct Entry: Encodable {
    var kind: String
    var message: String
    var location: Location
    var function: String
    var handler: String
    var path: [Note]
    var fixes: [Fix]
    var fingerprint: String
  }

  struct Problem: Encodable {
    var file: String
    var message: String
  }

  struct Counts: Encodable {
    var files: Int
    var handlers: Int
    var findings: Int
    var suppressed: Int
    var inBaseline: Int
    var awayFromChanges: Int
    var fixed: Int
  }

  var version = 1
  var counts: Counts
  var findings: [Entry]
  var notChecked: [Note]
  var problems: [Problem]

  init(_ report: CheckReport) {
    counts = Counts(
      files: report.fileCount, handlers: report.handlerCount, findings: report.findings.count,
      suppressed: report.suppressedCount, inBaseline: report.knownCount,
      awayFromChanges: report.untouchedCount, fixed: report.fixedCount)
    findings = report.findings.map { finding in
      Entry(
        kind: finding.kind.rawValue, message: finding.message, location: Location(finding.place),
        function: finding.function, handler: finding.handler,
        path: finding.notes.map { Note(location: Location($0.place), message: $0.message) },
        fixes: finding.fixIts.map { fixIt in
          Fix(
            message: fixIt.message,
            edits: fixIt.edits.map {
              Edit(start: $0.range.lowerBound, end: $0.range.upperBound, replacement: $0.replacement)
            })
        },
        fingerprint: finding.fingerprint)
    }
    notChecked = report.declined.map { Note(location: Location($0.place), message: $0.reason) }
    problems = report.problems.map { Problem(file: $0.path, message: $0.message) }
  }

  static func text(_ report: CheckReport) -> String { encoded(JSONReport(report)) }

  static func encoded(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(value)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
