import Testing

@testable import AdoptAnalysis

struct FixItTests {
  private func repaired(_ text: String) -> String? {
    let findings = check(ParsedFile(path: "a.swift", text: text)).findings
    guard let fixIt = findings.first(where: { !$0.fixIts.isEmpty })?.fixIts.first else { return nil }
    var bytes = Array(text.utf8)
    for edit in fixIt.edits.reversed() {
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a return is added with the same indentation`() {
    #expect(
      repaired(
        """
        func é(completion: @escaping (Int?, Error?) -> Void) {
            if let error {
                completion(nil, error) // it failed
            }
            completion(1, nil)
        }
        """) == """
          func é(completion: @escaping (Int?, Error?) -> Void) {
              if let error {
                  completion(nil, error)
                  return // it failed
              }
              completion(1, nil)
          }
          """)
  }

  @Test func `a return is added on the same line`() {
    let repaired = repaired(
      """
      func a(completion: @escaping () -> Void) {
        if ready { completion() }
        load(completion: completion)
      }
      """)
    #expect(repaired?.contains("if ready { completion(); return }") == true)
  }

  @Test func `fixed code has no findings`() throws {
    let text = """
      func a(completion: @escaping (Int?, Error?) -> Void) {
        load { value, error in
          if let error {
            completion(nil, error)
          }
          completion(value, nil)
        }
      }
      """
    let after = try #require(repaired(text))
    #expect(check(ParsedFile(path: "a.swift", text: after)).findings.isEmpty)
  }

  @Test func `an uncertain fix is not offered`() {
    #expect(
      repaired(
        """
        func a(completion: @escaping () -> Void) -> Int {
          if ready { completion() }
          completion()
          return 1
        }
        """) == nil)
    #expect(
      repaired(
        """
        func a(completion: @escaping () -> Void) {
          if ready { completion() } else { work() }
          completion()
        }
        """) == nil)
  }

  @Test func `a return that leaves only a local function is not offered`() {
    #expect(
      repaired(
        """
        func a(completion: @escaping () -> Void) {
          func step() {
            if ready { completion() }
          }
          step()
          completion()
        }
        """) == nil)
  }

  @Test func `a return that causes another finding is not offered`() {
    #expect(
      repaired(
        """
        func a(completion: @escaping () -> Void, otherCompletion: @escaping () -> Void) {
          if ready { completion() }
          completion()
          otherCompletion()
        }
        """) == nil)
  }

  @Test func `fingerprints stay the same when lines move`() throws {
    let text = """
      func a(completion: @escaping () -> Void) {
        guard ready else { return }
        completion()
      }
      """
    let before = try #require(check(ParsedFile(path: "a.swift", text: text)).findings.first)
    let after = try #require(
      check(ParsedFile(path: "a.swift", text: "\n\nlet x = 1\n" + text)).findings.first)
    #expect(before.fingerprint == after.fingerprint)
    #expect(before.place.line + 3 == after.place.line)
    #expect(before.fingerprint == "never|a(completion:)|completion|return }")
  }
}
