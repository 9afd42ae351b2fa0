import AdoptAnalysis
import AdoptTwins

/// That a function with a twin does not call its handler exactly once. The twin waits for that call: it cannot mend it.
struct TwinWarning: Sendable {
  /// Of the first finding.
  let place: Place
  let message: String

  /// What a twin does when its function calls never, or again.
  private static let effects: [(kinds: Set<Finding.Kind>, effect: String)] = [
    ([.never, .lost], "may wait for ever"), ([.twice, .after], "may end the program"),
  ]

  /// Those of a file's twins, one for each function and effect, in order.
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
        + "adopt check shows the way there")
  }
}
