import Testing

@testable import AdoptAnalysis

/// Collections of continuations behind a lock.
struct LockedCollectionTests {
  private func type(_ body: String, _ storage: String = "[Int: CheckedContinuation<Reply, any Error>]")
    -> String
  {
    """
    final class Requests: Sendable {
      private let pending = Mutex<\(storage)>([:])

      func send(_ id: Int) async throws -> Reply {
        try await withCheckedThrowingContinuation { continuation in
          pending.withLock { $0[id] = continuation }
        }
      }

    \(body)
    }
    """
  }

  @Test(arguments: [
    "  func received(_ r: Reply) { pending.withLock { $0.removeValue(forKey: r.id) }?.resume(returning: r) }",
    """
      func received(_ r: Reply) {
        let waiting = pending.withLock { $0.removeValue(forKey: r.id) }
        waiting?.resume(returning: r)
      }
    """,
    """
      func received(_ r: Reply) {
        guard let waiting = pending.withLock({ $0.removeValue(forKey: r.id) }) else { return }
        waiting.resume(returning: r)
      }
    """,
    """
      func close() {
        let all = pending.withLock { waiting in
          let all = waiting
          waiting = [:]
          return all
        }
        for waiting in all.values { waiting.resume(throwing: Closed()) }
      }
    """,
    """
      func close() {
        let all = pending.withLock { waiting in
          defer { waiting.removeAll() }
          return waiting
        }
        for waiting in all.values { waiting.resume(throwing: Closed()) }
      }
    """,
    """
      func close() {
        pending.withLock { waiting in
          for one in waiting.values { one.resume(throwing: Closed()) }
          waiting.removeAll()
        }
      }
    """,
    """
      func cancel(_ id: Int) {
        let waiting: CheckedContinuation<Reply, any Error>? = pending.withLock {
          let waiting = $0[id]
          $0[id] = nil
          return waiting
        }
        waiting?.resume(throwing: CancellationError())
      }
    """,
    """
      func close() {
        for waiting in pending.withLock({ let all = $0; $0 = [:]; return all }) {
          waiting.value.resume(throwing: Closed())
        }
      }
    """,
    """
      func close() {
        pending.withLock { waiting in
          defer { waiting = [:] }
          return waiting
        }.forEach { $0.value.resume(throwing: Closed()) }
      }
    """,
    "  var count: Int { pending.withLock { $0.count } }",
  ])
  func `right code has no findings`(body: String) {
    expectNoFindings(in: type(body))
  }

  @Test func `a continuation that is taken out and forgotten is reported`() {
    expectFindings(
      in: type(
        """
          func received(_ r: Reply) {
            guard let waiting = pending.withLock({ $0.removeValue(forKey: r.id) }) else { return }
            guard r.isValid else { return } // expect: never
            waiting.resume(returning: r)
          }
        """))
  }

  @Test func `continuations that are removed are reported`() {
    expectFindings(
      in: type(
        """
          func close() {
            pending.withLock { $0.removeAll() } // expect: lost
          }
          func received(_ r: Reply) { pending.withLock { $0.removeValue(forKey: r.id) }?.resume(returning: r) }
        """))
  }

  @Test func `continuations that are taken out by a loop and forgotten are reported`() {
    expectFindings(
      in: type(
        """
          func close() {
            for waiting in pending.withLock({ let all = $0; $0 = [:]; return all }) {
              guard isOpen else { continue }
              waiting.value.resume(throwing: Closed())
            }
          } // expect: never
        """))
  }

  @Test func `continuations that are resumed and kept are reported`() {
    expectFindings(
      in: type(
        """
          func received(_ r: Reply) {
            pending.withLock { waiting in
              for one in waiting.values { one.resume(returning: r) } // expect: twice
            }
          }
        """))
  }
}
