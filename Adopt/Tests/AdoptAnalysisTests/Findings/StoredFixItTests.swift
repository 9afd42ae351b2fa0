import Testing

@testable import AdoptAnalysis

/// Fix-its for continuations that properties store.
struct StoredFixItTests {
  private func check(_ text: String) -> (repaired: String?, left: Int, findings: [Finding]) {
    let file = ParsedFile(path: "a.swift", text: text)
    let findings = AdoptAnalysis.check(file).findings
    guard let fixIt = findings.first(where: { !$0.fixIts.isEmpty })?.fixIts.first else {
      return (nil, findings.count, findings)
    }
    var bytes = Array(text.utf8)
    for edit in fixIt.edits.reversed() {
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
    }
    let repaired = String(decoding: bytes, as: UTF8.self)
    let left = AdoptAnalysis.check(ParsedFile(path: "a.swift", text: repaired)).findings.count
    return (repaired, left, findings)
  }

  private func type(_ continuation: String, _ body: String) -> String {
    """
    final class Locator {
      private var waiting: \(continuation)?

    \(body)

      func found(_ place: Place) {
        waiting?.resume(returning: place)
        waiting = nil
      }
    }

    """
  }

  @Test func `a continuation that is overwritten is resumed before`() {
    let result = check(
      type(
        "CheckedContinuation<Place, any Error>",
        """
          func locate() async throws -> Place {
            try await withCheckedThrowingContinuation { continuation in
              self.waiting = continuation
              manager.requestLocation()
            }
          }
        """))
    #expect(
      result.repaired?.contains(
        """
              self.waiting?.resume(throwing: CancellationError())
              self.waiting = continuation

        """) == true)
    #expect(result.left == 0)
  }

  @Test func `a continuation that is set to nil is resumed before`() {
    let result = check(
      type("CheckedContinuation<Place, Error>", "  func cancel() {\n    waiting = nil\n  }"))
    #expect(
      result.repaired?.contains("    waiting?.resume(throwing: CancellationError())\n    waiting = nil\n")
        == true)
    #expect(result.left == 0)
  }

  @Test func `an element of a dictionary that is set to nil is resumed before`() {
    let result = check(
      """
      final class Requests {
        private var pending: [Int: CheckedContinuation<Reply, any Error>] = [:]
        func received(_ reply: Reply) { pending.removeValue(forKey: reply.id)?.resume(returning: reply) }
        func cancel(_ id: Int) { pending[id] = nil }
      }

      """)
    #expect(
      result.repaired?.contains("{ pending[id]?.resume(throwing: CancellationError()); pending[id] = nil }")
        == true)
    #expect(result.left == 0)
  }

  @Test func `a continuation that was taken out is resumed with the error of the path`() {
    let result = check(
      type(
        "CheckedContinuation<Place, any Error>",
        """
          func ended(_ error: (any Error)?) {
            guard let continuation = waiting else { return }
            waiting = nil
            if let error {
              log(error)
              return
            }
            continuation.resume(returning: .unknown)
          }
        """))
    #expect(
      result.repaired?.contains("log(error)\n      continuation.resume(throwing: error)\n      return")
        == true)
    #expect(result.left == 0)
  }

  @Test(arguments: ["CheckedContinuation<Place, Never>", "CheckedContinuation<Place, PlaceError>"])
  func `nothing is added if the error is not known to fit`(continuation: String) {
    let result = check(type(continuation, "  func cancel() {\n    waiting = nil\n  }"))
    #expect(result.findings.map(\.kind) == [.lost])
    #expect(result.repaired == nil)
  }

  @Test func `a target that is evaluated with calls gets no fix-it`() {
    let result = check(
      """
      final class Requests {
        private var pending: [Int: CheckedContinuation<Reply, any Error>] = [:]
        func received(_ reply: Reply) { pending.removeValue(forKey: reply.id)?.resume(returning: reply) }
        func cancel() { pending[next()] = nil }
      }

      """)
    #expect(result.findings.map(\.kind) == [.lost])
    #expect(result.repaired == nil)
  }
}
