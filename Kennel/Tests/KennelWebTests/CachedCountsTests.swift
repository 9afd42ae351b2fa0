import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct CachedCountsTests {
  /// Records the number of times the tables were counted.
  private final class Tables: Sendable {
    private let looks = Mutex(0)
    let gate = Gate()

    var lookCount: Int { looks.withLock { $0 } }

    func count() -> KennelStore.Counts {
      let number = looks.withLock { looks in
        looks += 1
        return looks
      }
      return KennelStore.Counts(posts: number, comments: 0, favourites: 0, users: 0)
    }
  }

  @Test func `a recent count is served from the cache`() async throws {
    let (clock, tables) = (ManualKennelClock(), Tables())
    let counts = CachedCounts(lifetime: .seconds(10), clock: clock.clock) { .success(tables.count()) }
    #expect(try await counts.latest().posts == 1)
    clock.advance(by: .seconds(9))
    #expect(try await counts.latest().posts == 1)
    clock.advance(by: .seconds(2))
    #expect(try await counts.latest().posts == 2)
  }

  @Test func `concurrent callers share one count`() async throws {
    let tables = Tables()
    let counts = CachedCounts(clock: ManualKennelClock().clock) {
      _ = await tables.gate.wait(within: .seconds(90))
      return .success(tables.count())
    }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<50 { group.addTask { try await counts.latest().posts } }
      // One of the waiting callers gives up.
      let impatient = Task { try await counts.latest() }
      impatient.cancel()
      tables.gate.open()
      for try await posts in group { #expect(posts == 1) }
      _ = try await impatient.value
    }
    #expect(tables.lookCount == 1)
  }

  @Test func `a failed count is not cached`() async throws {
    let tables = Tables()
    let counts = CachedCounts(clock: ManualKennelClock().clock) {
      let found = tables.count()
      return found.posts == 1 ? .failure(.closed) : .success(found)
    }
    await #expect(throws: KennelError.self) { try await counts.latest() }
    #expect(try await counts.latest().posts == 2)
  }
}
