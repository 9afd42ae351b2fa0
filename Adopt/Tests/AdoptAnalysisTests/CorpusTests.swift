import AdoptCorpus
import Foundation
import Testing

/// The corpus of faulty and correct code, which `make bench` measures as well.
struct CorpusTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Corpus").path

  @Test func `the corpus has 60 faulty and 60 correct cases`() throws {
    let cases = try Corpus(folder: Self.folder).cases
    #expect(cases.count { !$0.expected.isEmpty } >= 60)
    #expect(cases.count { $0.expected.isEmpty } >= 60)
  }

  @Test func `precision is at least 95 % and recall at least 80 %`() throws {
    let score = try Corpus(folder: Self.folder).score()
    #expect(score.precision >= 0.95, "\(score.falseFindings.joined(separator: "\n"))")
    #expect(score.recall >= 0.8, "\(score.missed.joined(separator: "\n"))")
  }
}
