import Testing

@testable import AdoptAnalysis

/// The reported steps of very long paths.
struct LongPathTests {
  private static func guards(_ count: Int) -> String {
    "func a(completion: @escaping () -> Void) {\n"
      + (1...count).map { "  if skips(\($0)) { log(); completion(); return }\n" }.joined() + "}\n"
  }

  private func lines(_ text: String) throws -> [Int] {
    let findings = check(ParsedFile(path: "a.swift", text: text)).findings
    #expect(findings.map(\.kind) == [.never])
    return try #require(findings.first).notes.map(\.place.line)
  }

  @Test func `a short path is reported completely`() throws {
    #expect(try lines(Self.guards(12)) == Array(2...13))
  }

  @Test func `the beginning and the end of a long path are reported`() throws {
    #expect(try lines(Self.guards(13)) == [2, 3, 4, 5] + Array(7...14))
    #expect(try lines(Self.guards(3_000)) == [2, 3, 4, 5] + Array(2_994...3_001))
  }

  @Test func `each of thousands of repeated calls refers to a first call`() {
    let text =
      "func a(completion: @escaping () -> Void) {\n"
      + (1...2_000).map { "  if calls(\($0)) { completion() }\n" }.joined() + "  completion()\n}\n"
    let findings = check(ParsedFile(path: "a.swift", text: text)).findings
    #expect(findings.count == 2_000)
    #expect(findings.allSatisfy { $0.kind == .twice && $0.notes.count <= 12 && $0.fixIts.count == 1 })
  }
}
