import AdoptAnalysis
import AdoptTwins

/// A warning that a function with a twin does not call its handler exactly once.
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
    guard !findings.isEmpty else { return [] }
    return pair.twins.twins.flatMap { twin in
      // A local function's handler is not the one that the twin waits for.
      let own = findings.filter { finding in
        twin.range.contains(finding.place.offset)
          && finding.function.filter { $0 != "`" } == twin.function.description
      }
      return effects.compactMap { kinds, effect in
        warning(of: twin, effect, own.filter { kinds.contains($0.kind) })
      }
    }
  }

  private static func warning(of twin: Twin, _ effect: String, _ findings: [Finding]) -> TwinWarning? {
    guard let first = findings.first else { return nil }
    let others = findings.count - 1
    let more = others == 0 ? "" : others == 1 ? ", and one more" : ", and \(others) more"
    return TwinWarning(
      place: first.place,
      message: "the alternative of \(twin.function) \(effect): \(first.message)\(more); "
        + "run adopt check to see the path")
  }
}
