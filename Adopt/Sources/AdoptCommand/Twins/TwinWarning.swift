import AdoptAnalysis
import AdoptTwins

/// A warning that a function with a twin does not call its handler exactly once, or throws after a call.
///
/// The twin waits for that call, so it cannot fix the problem.
struct TwinWarning: Sendable {
  /// The place of the first finding.
  let place: Place
  let message: String

  /// The effect on the twin if its function never calls the handler, or calls it again.
  private static let effects: [(kinds: Set<Finding.Kind>, effect: String)] = [
    ([.never, .lost], "may wait forever"), ([.twice, .after], "may crash the program"),
  ]

  /// Returns the warnings for a file's twins, one for each function and effect, in order.
  static func all(for pair: TwinRun.Pair) -> [TwinWarning] {
    guard !pair.twins.twins.isEmpty else { return [] }
    let findings = check(pair.file).findings
    var options = CheckOptions()
    options.coversAlternatives = true
    let known = Set(findings.map(Key.init))
    let others = check(pair.file, options: options).findings.filter { !known.contains(Key($0)) }
    return pair.twins.twins.flatMap { twin in
      effects.flatMap { kinds, effect in
        [
          warning(of: twin, effect, kinds, findings, advice: "run adopt check to see the path"),
          warning(
            of: twin, effect, kinds, others,
            advice: "adopt check does not report this, because other callers may handle it"),
        ]
        .compactMap(\.self)
      }
    }
  }

  /// What distinguishes the findings of a file.
  private struct Key: Hashable {
    let kind: Finding.Kind
    let offset: Int

    init(_ finding: Finding) { (kind, offset) = (finding.kind, finding.place.offset) }
  }

  private static func warning(
    of twin: Twin, _ effect: String, _ kinds: Set<Finding.Kind>, _ findings: [Finding], advice: String
  ) -> TwinWarning? {
    // A local function's handler is not the one that the twin waits for.
    let own = findings.filter { finding in
      kinds.contains(finding.kind) && twin.range.contains(finding.place.offset)
        && finding.function.filter { $0 != "`" } == twin.function.description
    }
    guard let first = own.first else { return nil }
    let others = own.count - 1
    let more = others == 0 ? "" : others == 1 ? ", and one more" : ", and \(others) more"
    return TwinWarning(
      place: first.place,
      message: "the alternative of \(twin.function) \(effect): \(first.message)\(more); \(advice)")
  }
}
