import AdoptAnalysis
import Foundation

/// The findings as a SARIF log.
struct SARIFReport {
  private static let base = "%SRCROOT%"

  let report: CheckReport
  let paths: Paths

  static func text(_ report: CheckReport, paths: Paths) -> String {
    JSONReport.encoded(SARIFReport(report: report, paths: paths).log)
  }

  var log: SARIF {
    let rules = Finding.Kind.allCases.map { kind in
      let text = RuleText(kind)
      return SARIF.Rule(
        id: kind.rawValue, name: text.name, shortDescription: .init(text.short),
        fullDescription: .init(text.full),
        help: .init(text.help, markdown: text.markdown),
        properties: .init(tags: ["correctness", "concurrency"]))
    }
    let notifications = report.problems.map { problem in
      SARIF.Notification(
        message: .init("\(problem.path): \(problem.message)"),
        locations: [.init(physicalLocation: .init(artifactLocation: artifact(problem.path)))])
    }
    let run = SARIF.Run(
      tool: .init(driver: .init(name: "adopt", semanticVersion: ProjectVersion.current, rules: rules)),
      invocations: [
        .init(executionSuccessful: report.problems.isEmpty, toolExecutionNotifications: notifications)
      ],
      originalUriBaseIds: [Self.base: .init(uri: fileURI(paths.root) + "/")],
      results: report.findings.map(result))
    return SARIF(runs: [run])
  }

  private func result(of finding: Finding) -> SARIF.Result {
    var main = location(finding.place, message: nil)
    main.logicalLocations = [.init(fullyQualifiedName: finding.function)]
    var steps = finding.notes.map { location($0.place, message: $0.message) }
    let related = steps.enumerated().map { index, step in
      var step = step
      step.id = index + 1
      return step
    }
    // The flow ends at the place of the finding, even if the path does not include it.
    if finding.notes.last?.place != finding.place {
      steps.append(location(finding.place, message: finding.message))
    }
    let flow = steps.enumerated().map {
      SARIF.ThreadFlowLocation(location: $0.element, executionOrder: $0.offset + 1)
    }
    return SARIF.Result(
      ruleId: finding.kind.rawValue, ruleIndex: Finding.Kind.allCases.firstIndex(of: finding.kind) ?? 0,
      message: .init(finding.message), locations: [main],
      relatedLocations: related.isEmpty ? nil : related,
      codeFlows: finding.notes.isEmpty ? nil : [.init(threadFlows: [.init(locations: flow)])],
      fixes: fixes(of: finding), partialFingerprints: ["adoptFingerprint/v1": finding.fingerprint],
      baselineState: report.hasBaseline ? "new" : nil)
  }

  private func fixes(of finding: Finding) -> [SARIF.Fix]? {
    let path = finding.place.path
    let fixes = finding.fixIts.compactMap { fixIt -> SARIF.Fix? in
      let replacements = fixIt.edits.compactMap { edit -> SARIF.Replacement? in
        guard let start = report.place(of: edit.range.lowerBound, in: path),
          let end = report.place(of: edit.range.upperBound, in: path)
        else { return nil }
        return .init(
          deletedRegion: .init(
            startLine: start.line, startColumn: column(of: start), endLine: end.line,
            endColumn: column(of: end)),
          insertedContent: .init(text: edit.replacement))
      }
      guard replacements.count == fixIt.edits.count else { return nil }
      return .init(
        description: .init(fixIt.message),
        artifactChanges: [.init(artifactLocation: artifact(path), replacements: replacements)])
    }
    return fixes.isEmpty ? nil : fixes
  }

  private func location(_ place: Place, message: String?) -> SARIF.Location {
    let region = SARIF.Region(
      startLine: place.line, startColumn: column(of: place),
      snippet: report.line(at: place).map { .init(text: $0) })
    return .init(
      physicalLocation: .init(artifactLocation: artifact(place.path), region: region),
      message: message.map { .init($0) })
  }

  /// Converts a column from bytes to UTF-16 code units, which SARIF counts.
  private func column(of place: Place) -> Int {
    guard let line = report.line(at: place) else { return place.column }
    return String(decoding: line.utf8.prefix(place.column - 1), as: UTF8.self).utf16.count + 1
  }

  private func artifact(_ path: String) -> SARIF.ArtifactLocation {
    let path = paths.inRepository(path)
    return path.hasPrefix("/")
      ? .init(uri: fileURI(path)) : .init(uri: Self.escaped(path), uriBaseId: Self.base)
  }

  private func fileURI(_ path: String) -> String { "file://" + Self.escaped(path) }

  private static func escaped(_ path: String) -> String {
    let plain = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
    return path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
  }
}
