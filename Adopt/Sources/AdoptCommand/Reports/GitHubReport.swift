import AdoptAnalysis

/// Findings as workflow commands of GitHub Actions, which shows them at their lines in a pull request. Their paths are
/// relative to the top of the repository.
enum GitHubReport {
  static func text(_ report: CheckReport, paths: Paths) -> String {
    report.findings.map { finding in
      let place = finding.place
      let path = finding.notes.map { "\n\($0.place.line):\($0.place.column): \($0.message)" }.joined()
      return
        "::warning file=\(property(paths.inRepository(place.path))),line=\(place.line),col=\(place.column),"
        + "title=\(property("adopt: \(finding.kind.rawValue)"))::\(data(finding.message + path))\n"
    }.joined()
  }

  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
