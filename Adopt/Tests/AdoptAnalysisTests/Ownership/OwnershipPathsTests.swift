import Foundation
import Testing

@testable import AdoptAnalysis

/// Checks random types that store a continuation, and compares the findings with a run of all paths.
///
/// ADOPT_TEST_PATHS in the environment sets the number of paths. A million take about three minutes.
struct OwnershipPathsTests {
  static let wantedPaths =
    ProcessInfo.processInfo.environment["ADOPT_TEST_PATHS"].flatMap { Int($0) } ?? 120_000

  @Test(.timeLimit(.minutes(10)))
  func `the check of stored continuations agrees with running every path`() async {
    let halves = await withTaskGroup(of: Tally.self) { group in
      for half in 0..<2 {
        group.addTask { Tally(seeds: UInt64(half) * 10_000_000 + 1, paths: Self.wantedPaths / 2) }
      }
      return await group.reduce(into: [Tally]()) { $0.append($1) }
    }
    #expect(halves.reduce(0) { $0 + $1.paths } >= Self.wantedPaths)
    for half in halves { #expect(half.disagreement == nil, "\(half.disagreement ?? "")") }
    // The programs have all kinds of faults, and none, in all forms of storing a continuation.
    #expect(
      halves.reduce(into: Set<OwnershipForm>()) { $0.formUnion($1.faulty) }.count
        == OwnershipForm.allCases.count)
    for count in [\Tally.silent, \.dropped, \.repeated, \.clean] {
      #expect(halves.reduce(0) { $0 + $1[keyPath: count] } > 0)
    }
    print("generated: \(halves.map(\.summary).joined(separator: "; "))")
  }

  struct Tally {
    var (programs, paths, silent, dropped, repeated, clean, cut) = (0, 0, 0, 0, 0, 0, 0)
    /// The forms of programs with findings.
    var faulty: Set<OwnershipForm> = []
    var disagreement: String?

    var summary: String {
      "\(programs) programs, \(paths) paths, \(silent) never, \(dropped) dropped, \(repeated) twice, \(clean) right, \(cut) cut"
    }

    init(seeds first: UInt64, paths wanted: Int) {
      var seed = first
      while paths < wanted, disagreement == nil {
        add(seed)
        seed += 1
      }
    }

    /// Of the calls after which a property still stores the continuation, the check reports one for each end.
    private static func agree(_ found: OwnershipOracle.Outcome, _ ran: OwnershipOracle.Outcome) -> Bool {
      var (exact, expected) = (found, ran)
      exact.kept = []
      expected.kept = []
      return exact == expected && found.kept.isSubset(of: ran.kept)
        && found.kept.union(found.repeated).isDisjoint(with: ran.kept) == ran.kept.isEmpty
    }

    private mutating func add(_ seed: UInt64) {
      let program = OwnershipProgram(seed: seed)
      // Without such a call, the property is not one that this type resumes.
      guard program.text.contains(where: { $0.contains("resume(") }) else { return }
      let result = check(ParsedFile(path: "generated.swift", text: program.text.joined(separator: "\n")))
      var found = OwnershipOracle.Outcome()
      for finding in result.findings where finding.function == "didUpdate()" {
        switch finding.kind {
        case .never: found.silent.insert(finding.place.line)
        case .lost: found.dropped.insert(finding.place.line)
        case .twice where finding.message.contains("still stores"): found.kept.insert(finding.place.line)
        case .twice: found.repeated.insert(finding.place.line)
        default: break
        }
      }
      var ran = OwnershipOracle.Outcome()
      var isComplete = true
      for (rounds, maximum) in [(2, 5_000), (3, 50_000)] {
        let oracle = OwnershipOracle(program, rounds: rounds, maximumPaths: maximum)
        paths += oracle.paths
        (ran, isComplete) = (oracle.outcome, oracle.isComplete)
        if Self.agree(found, ran) { break }
      }
      programs += 1
      if !isComplete { cut += 1 }
      let isPart =
        ran.silent.isSubset(of: found.silent) && ran.dropped.isSubset(of: found.dropped)
        && ran.repeated.isSubset(of: found.repeated)
      guard isComplete ? Self.agree(found, ran) : isPart, result.declined.isEmpty else {
        let text = program.text.enumerated().map { "\($0.offset + 1): \($0.element)" }.joined(separator: "\n")
        disagreement = "seed \(seed): found \(found), ran \(ran)\n\(text)"
        return
      }
      if !found.silent.isEmpty { silent += 1 }
      if !found.dropped.isEmpty { dropped += 1 }
      if !found.repeated.isEmpty || !found.kept.isEmpty { repeated += 1 }
      if found == OwnershipOracle.Outcome() { clean += 1 } else { faulty.insert(program.form) }
    }
  }
}
