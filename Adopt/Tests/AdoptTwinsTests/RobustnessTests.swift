import AdoptAnalysis
import SwiftSyntax
import Testing

@testable import AdoptTwins

@Suite(.timeLimit(.minutes(5)))
struct RobustnessTests {
  /// Generates the same numbers in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test(arguments: 0..<4)
  func `damaged sources cause no crash, and their twins parse`(seed: UInt64) {
    var numbers = Numbers(state: seed &+ 77)
    let lines = Corpus.functions.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let words = [
      "(", ")", "{", "}", "#if A", "#endif", "\"", "completion:", "@escaping", "<T>", "`", "/*", "\r",
    ]
    var written = 0
    for _ in 0..<60 {
      var text: [String] = []
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let start = Int.random(in: 0..<lines.count, using: &numbers)
        text += lines[start..<min(lines.count, start + Int.random(in: 1...24, using: &numbers))]
      }
      if Bool.random(using: &numbers), let index = text.indices.randomElement(using: &numbers) {
        let place = text[index].indices.randomElement(using: &numbers) ?? text[index].endIndex
        text[index].insert(contentsOf: words.randomElement(using: &numbers) ?? "", at: place)
      }
      let file = ParsedFile(path: "a.swift", text: text.joined(separator: "\n"))
      let found = twins(in: file)
      let result = applying(found.edits(of: file), to: file.text)
      written += found.twins.count
      _ = separateFile(for: [(file, found.separable())])
      guard !file.tree.hasError else { continue }
      #expect(!ParsedFile(path: "a.swift", text: result).tree.hasError, "\(result)")
    }
    #expect(written > 20)
  }
}
