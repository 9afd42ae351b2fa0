import AdoptAnalysis
import Foundation
import Testing

@testable import AdoptCommand

struct BaselineTests {
  private func isNew(_ baseline: Baseline, _ findings: [Finding], gone: Set<String> = []) -> [Bool] {
    baseline.isNew(findings, relative: { $0 }, exists: { !gone.contains($0) })
  }

  @Test func `recorded findings are known, even if their lines moved`() {
    let baseline = Baseline(of: [.sample(line: 3), .sample(.twice, fingerprint: "f2")], relative: { $0 })
    #expect(
      isNew(baseline, [.sample(line: 99), .sample(fingerprint: "other"), .sample(fingerprint: "f2")])
        == [false, true, false])
  }

  @Test func `an entry covers only the recorded number of findings`() {
    let baseline = Baseline(of: [.sample(), .sample()], relative: { $0 })
    #expect(baseline.entries.map(\.count) == [2])
    #expect(isNew(baseline, [.sample(), .sample(), .sample()]) == [false, false, true])
  }

  @Test func `the findings of a moved file are known`() {
    let baseline = Baseline(of: [.sample(path: "old.swift")], relative: { $0 })
    let moved = [Finding.sample(path: "new.swift")]
    #expect(isNew(baseline, moved, gone: ["old.swift"]) == [false])
    #expect(isNew(baseline, moved) == [true])
  }

  @Test func `a written baseline is read back unchanged`() throws {
    let scratch = try TemporaryPackage()
    let baseline = Baseline(
      of: [.sample(path: "b.swift"), .sample(.lost, path: "a.swift"), .sample(path: "b.swift")],
      relative: { "x/" + $0 })
    try scratch.write(baseline.text, to: "baseline.json")
    #expect(try Baseline.read(scratch.file("baseline.json")) == baseline)
    #expect(baseline.entries.map(\.file) == ["x/a.swift", "x/b.swift"])
  }

  @Test func `entries of other files are kept`() {
    var baseline = Baseline(of: [.sample(path: "b.swift")], relative: { $0 })
    baseline.keep(from: Baseline(of: [.sample(path: "a.swift"), .sample(path: "b.swift")], relative: { $0 }))
    {
      $0 == "a.swift"
    }
    #expect(baseline.entries.map(\.file) == ["a.swift", "b.swift"])
  }

  @Test func `an invalid baseline file is an error`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("{}", to: "a.json")
    try scratch.write("{\"version\": 9, \"findings\": []}", to: "b.json")
    #expect(throws: FileProblem.self) { try Baseline.read(scratch.file("a.json")) }
    #expect(throws: FileProblem.self) { try Baseline.read(scratch.file("b.json")) }
    #expect(throws: FileProblem.self) { try Baseline.read(scratch.file("c.json")) }
  }
}
