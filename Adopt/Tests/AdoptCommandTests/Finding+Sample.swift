import AdoptAnalysis

@testable import AdoptCommand

extension Finding {
  /// Returns a finding like those of the analysis, with a path of one step and a fix.
  static func sample(
    _ kind: Kind = .never, path: String = "Sources/a.swift", line: Int = 3, column: Int = 5,
    function: String = "load(completion:)", fingerprint: String = "f1", notes: [Int] = [2],
    fix: Range<Int>? = nil
  ) -> Finding {
    Finding(
      kind: kind, place: Place(path: path, line: line, column: column, offset: 40), handler: "completion",
      function: function, message: "leaves without calling 'completion'",
      notes: notes.map { (Place(path: path, line: $0, column: 3, offset: 20), "when this guard fails") },
      fixIts: fix.map { [FixIt(message: "add a return", edits: [($0, "; return")])] } ?? [],
      fingerprint: fingerprint)
  }
}

extension CheckReport {
  static func of(_ findings: [Finding], lines: [Int: String], places: [Int: Place] = [:]) -> CheckReport {
    var report = CheckReport()
    report.findings = findings
    report.fileCount = 1
    for finding in findings {
      var file = CheckedFile(path: finding.place.path)
      file.lines = lines
      file.places = places
      report.files[finding.place.path] = file
    }
    return report
  }
}
