import Foundation
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct UnifiedDiffTests {
  @Test func `the format is that of diff -u`() {
    let old = (1...9).map { "line \($0)\n" }.joined()
    let new = old.replacingOccurrences(of: "line 5\n", with: "line five\nand more\n")
    let expected = """
      --- a/Sources/a.swift
      +++ b/Sources/a.swift
      @@ -2,7 +2,8 @@
       line 2
       line 3
       line 4
      -line 5
      +line five
      +and more
       line 6
       line 7
       line 8

      """
    #expect(UnifiedDiff.text(of: "Sources/a.swift", old: old, new: new) == expected)
    #expect(UnifiedDiff.text(of: "a", old: "same", new: "same").isEmpty)
  }

  @Test func `a new file is compared with an empty file`() {
    #expect(
      UnifiedDiff.text(of: "a.swift", old: nil, new: "one\n")
        == "--- /dev/null\n+++ b/a.swift\n@@ -0,0 +1 @@\n+one\n")
  }

  @Test func `git can apply the diff`() async throws {
    let scratch = try TemporaryPackage()
    try await scratch.git("init", "-q")
    var random = SystemRandomNumberGenerator()
    let alphabet = ["a\n", "b\n", "c\r\n", "é\n", "\n", "}\n", "last"]
    let names = ["a.swift", "with blank.swift", "quo\"te\\é.swift"]
    for round in 0..<60 {
      func text(_ count: Int) -> [String] {
        (0..<count).map { _ in alphabet.randomElement(using: &random) ?? "" }
      }
      let old = text(Int.random(in: 0...30, using: &random))
      var new = old
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0...new.count, using: &random)
        if Bool.random(using: &random), at < new.count {
          new.remove(at: at)
        } else {
          new.insert("new \(at)\n", at: at)
        }
      }
      let name = names[round % names.count]
      try scratch.write(old.joined(), to: name)
      let diff = UnifiedDiff.text(of: name, old: old.joined(), new: new.joined())
      guard !diff.isEmpty else { continue }
      try scratch.write(diff, to: "change.diff")
      try await scratch.git("apply", "--unidiff-zero", "--whitespace=nowarn", "change.diff")
      #expect(try scratch.text(name).utf8.elementsEqual(new.joined().utf8), "\(diff)")
    }
  }

  @Test func `long texts with nothing in common are compared quickly`() {
    let old = (0..<30_000).map { "old \($0)\n" }.joined()
    let new = (0..<30_000).map { "new \($0)\n" }.joined()
    #expect(
      UnifiedDiff.text(of: "a", old: old, new: new).hasPrefix(
        "--- a/a\n+++ b/a\n@@ -1,30000 +1,30000 @@\n-old 0\n"))
  }
}
