import KennelModel
import KennelStorage
import Synchronization

/// A cache of the kennel's counts. They are public, and counting reads complete tables.
final class CachedCounts: Sendable {
  typealias Outcome = Result<KennelStore.Counts, KennelError>

  private enum State: Sendable {
    case nothing
    /// A count in progress, shared by all callers that arrive meanwhile.
    case counting(Task<Outcome, Never>)
    case known(KennelStore.Counts, until: Duration)
  }

  private let state = Mutex(State.nothing)
  private let lifetime: Duration
  private let clock: KennelClock
  private let count: @Sendable () async -> Outcome

  /// - Parameter count: counts the rows of the tables.
  init(lifetime: Duration = .seconds(10), clock: KennelClock, count: @escaping @Sendable () async -> Outcome)
  {
    self.lifetime = lifetime
    self.clock = clock
    self.count = count
  }

  func latest() async throws(KennelError) -> KennelStore.Counts {
    let now = clock.uptime()
    let state = state.withLock { state in
      switch state {
      case .counting: break
      case .known(_, let until) where until > now: break
      case .known, .nothing:
        // A detached task, so that it is not cancelled with the first caller: other callers may be waiting for it.
        state = .counting(Task.detached { [self] in await renew() })
      }
      return state
    }
    switch state {
    case .known(let counts, _): return counts
    case .counting(let task): return try await task.value.get()
    case .nothing: throw .cancelled
    }
  }

  private func renew() async -> Outcome {
    let outcome = await count()
    let until = clock.uptime() + lifetime
    state.withLock { state in
      if case .success(let counts) = outcome {
        state = .known(counts, until: until)
      } else {
        state = .nothing
      }
    }
    return outcome
  }
}
