import Testing

@testable import AdoptAnalysis

struct SuppressionTests {
  private func check(_ text: String) -> FileCheck {
    AdoptAnalysis.check(ParsedFile(path: "a.swift", text: text))
  }

  @Test func `a comment with a reason on the line suppresses a finding`() {
    let result = check(
      """
      func a(completion: @escaping () -> Void) {
        guard ready else { return } // adopt:ignore never - the server calls it
        completion()
      }
      """)
    #expect(result.findings.isEmpty)
    #expect(result.suppressed.map(\.kind) == [.never])
  }

  @Test func `a comment with a reason above the line suppresses a finding`() {
    let result = check(
      """
      func a(completion: @escaping () -> Void) {
        // adopt:ignore never, lost: the canceller calls it
        guard ready else { return }
        // adopt:ignore all — called again on purpose
        // which is tested elsewhere
        completion()
      }
      """)
    #expect(result.findings.isEmpty)
    #expect(result.suppressed.count == 1)
  }

  @Test func `a comment without a reason suppresses nothing`() {
    let result = check(
      """
      func a(completion: @escaping () -> Void) {
        guard ready else { return } // adopt:ignore never
        completion()
      }
      """)
    #expect(result.findings.map(\.kind) == [.never, .suppression])
    #expect(result.findings.last?.message.contains("give a reason") == true)
    #expect(result.suppressed.isEmpty)
  }

  @Test func `only the named kinds are suppressed`() {
    let result = check(
      """
      func a(completion: @escaping () -> Void) {
        guard ready else { return } // adopt:ignore twice - not this one
        completion()
      }
      """)
    #expect(result.findings.map(\.kind) == [.never])
  }

  @Test func `an unknown kind is reported`() {
    let result = check("// adopt:ignore nevver - because\nfunc a() {}\n")
    #expect(result.findings.map(\.kind) == [.suppression])
    #expect(result.findings.first?.place.line == 1)
    #expect(check("// adopt:ignore\n").findings.count == 1)
  }

  @Test func `a marker in a string is ignored`() {
    #expect(check("let a = \"// adopt:ignore never\"\n").findings.isEmpty)
    #expect(check("let a = \"\"\"\n  // adopt:ignore never\n  \"\"\"\n").findings.isEmpty)
  }
}
