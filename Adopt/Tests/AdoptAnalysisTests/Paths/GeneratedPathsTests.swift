import Foundation
import Testing

@testable import AdoptAnalysis

/// Checks random functions, and compares the findings with a run of all paths: a million of them if ADOPT_TEST_COMPLETE
/// in the environment is 1.
struct GeneratedPathsTests {
  static let isComplete = ProcessInfo.processInfo.environment["ADOPT_TEST_COMPLETE"] == "1"
  static let wantedPaths = isComplete ? 1_050_000 : 250_000

  @Test(.timeLimit(.minutes(5)))
  func `the check agrees with running every path`() async {
    let halves = await withTaskGroup(of: Tally.self) { group in
      for half in 0..<2 {
        group.addTask { Tally(seeds: UInt64(half) * 10_000_000, paths: Self.wantedPaths / 2) }
      }
      return await group.reduce(into: [Tally]()) { $0.append($1) }
    }
    let paths = halves.reduce(0) { $0 + $1.paths }
    #expect(paths >= Self.wantedPaths / 2 * 2)
    for half in halves {
      #expect(half.disagreement == nil, "\(half.disagreement ?? "")")
      #expect(half.silent > 200 && half.repeated > 200 && half.clean > 20)
    }
    print("generated: \(halves.map(\.summary).joined(separator: "; "))")
  }

  /// The result for a series of seeds.
  struct Tally {
    var programs = 0
    var paths = 0
    var silent = 0
    var repeated = 0
    var clean = 0
    var truncated = 0
    var disagreement: String?

    var summary: String {
      "\(programs) programs, \(paths) paths, \(silent) silent, \(repeated) twice, \(clean) right, \(truncated) cut"
    }

    init(seeds first: UInt64, paths wanted: Int) {
      var seed = first
      while paths < wanted, disagreement == nil {
        add(seed)
        seed += 1
      }
    }

    private mutating func add(_ seed: UInt64) {
      var generator = ProgramGenerator(seed: seed)
      let program = generator.program()
      let text = ProgramText(program)
      let result = check(ParsedFile(path: "generated.swift", text: text.text))
      let found = Lines(result)
      var ran = Interpreter.Outcome()
      var expected = found
      // Some places in loops are only reached with more iterations and paths.
      for (rounds, maximum) in [(2, 800), (3, 3_000), (5, 20_000)] {
        ran = Interpreter(program, rounds: rounds, maximumPaths: maximum).outcome
        paths += ran.paths
        expected = Lines(ran, text)
        if expected == found { break }
      }
      programs += 1
      if !ran.isComplete { truncated += 1 }
      let agrees = ran.isComplete ? expected == found : expected.isSubset(of: found)
      guard agrees, result.declined.isEmpty else {
        disagreement = "seed \(seed): found \(found), ran \(expected)\n\(text.numbered)"
        return
      }
      if !found.silent.isEmpty { silent += 1 }
      if !found.repeated.isEmpty { repeated += 1 }
      if found.silent.isEmpty, found.repeated.isEmpty { clean += 1 }
    }
  }

  /// The lines at which a program leaves without a call, and at which it calls again.
  struct Lines: Equatable {
    var silent: Set<Int> = []
    var repeated: Set<Int> = []

    init(_ check: FileCheck) {
      for finding in check.findings {
        switch finding.kind {
        case .never, .lost: silent.insert(finding.place.line)
        case .twice: repeated.insert(finding.place.line)
        default: break
        }
      }
    }

    init(_ outcome: Interpreter.Outcome, _ text: ProgramText) {
      silent = Set(outcome.silent.map { text.lineOf[$0] ?? -$0 })
      // A handler that its function does not mention is reported at its declaration.
      if !silent.isEmpty, !text.lines.dropFirst().contains(where: { $0.contains("completion") }) {
        silent = [1]
      }
      repeated = Set(outcome.repeated.map { text.lineOf[$0] ?? -$0 })
    }

    func isSubset(of other: Lines) -> Bool {
      silent.isSubset(of: other.silent) && repeated.isSubset(of: other.repeated)
    }
  }
}

extension ProgramText {
  var numbered: String {
    lines.enumerated().map { "\($0.offset + 1): \($0.element)" }.joined(separator: "\n")
  }
}
