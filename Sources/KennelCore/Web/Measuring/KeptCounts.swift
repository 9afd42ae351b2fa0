import Synchronization

/// How many there are of what the kennel keeps, as it was a moment ago: anybody may ask, and counting goes through whole
/// tables.
final class KeptCounts: Sendable {
  typealias Outcome = Result<KennelStore.Counts, KennelError>

  private enum State: Sendable {
    case nothing
    /// For all who ask meanwhile.
    case counting(Task<Outcome, Never>)
    case known(KennelStore.Counts, until: Duration)
  }

  private let state = Mutex(State.nothing)
  private let lifetime: Duration
  private let clock: KennelClock
  private let count: @Sendable () async -> Outcome

  /// - Parameter count: looks through the tables.
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
        // Not the asker's: when it goes away, the others still wait.
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
