import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: Clock {
  /// A moment of a manual clock.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock was made.
    public var offset: Duration

    /// The moment `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from this moment to another one.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether a moment is before another one.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var deadline: Instant
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextIdentifier = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var arrivals: [(count: Int, gate: Gate)] = []
  }

  private let state = Mutex(State())

  /// A clock at its first moment.
  public init() {}

  /// The moment it shows.
  public var now: Instant { state.withLock { $0.now } }
  /// The smallest step that matters.
  public var minimumResolution: Duration { .nanoseconds(1) }
  /// How many tasks sleep on it.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Suspends until the clock has been moved to `deadline`; throws `CancellationError` when cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let identifier = state.withLock { state in
      state.nextIdentifier += 1
      return state.nextIdentifier
    }
    let isDue = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(Sleeper(deadline: deadline, continuation: continuation), as: identifier)
      }
    } onCancel: {
      cancel(identifier)
    }
    if !isDue { throw CancellationError() }
  }

  /// Moves the clock on and wakes who is due, the earliest deadline first.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.value.deadline <= now }
      for identifier in due.keys { state.sleepers.removeValue(forKey: identifier) }
      return due.sorted { ($0.value.deadline.offset, $0.key) < ($1.value.deadline.offset, $1.key) }
    }
    for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
  }

  /// Waits until at least `count` tasks sleep on the clock.
  public func waitForSleepers(_ count: Int = 1) async {
    let gate = Gate()
    let isReached = state.withLock { state in
      if state.sleepers.count < count { state.arrivals.append((count, gate)) }
      return state.sleepers.count >= count
    }
    if !isReached { await gate.wait() }
  }

  private enum Registration {
    case waiting([Gate])
    case due
    case cancelled
  }

  private func register(_ sleeper: Sleeper, as identifier: Int) {
    let registration: Registration = state.withLock { state in
      if state.cancelled.remove(identifier) != nil { return .cancelled }
      if sleeper.deadline <= state.now { return .due }
      state.sleepers[identifier] = sleeper
      let count = state.sleepers.count
      let reached = state.arrivals.filter { $0.count <= count }.map(\.gate)
      state.arrivals.removeAll { $0.count <= count }
      return .waiting(reached)
    }
    switch registration {
    case .waiting(let gates): for gate in gates { gate.open() }
    case .due: sleeper.continuation.resume(returning: true)
    case .cancelled: sleeper.continuation.resume(returning: false)
    }
  }

  private func cancel(_ identifier: Int) {
    let sleeper = state.withLock { state in
      let sleeper = state.sleepers.removeValue(forKey: identifier)
      // The task may be cancelled before it got to register: leave a mark for it.
      if sleeper == nil { state.cancelled.insert(identifier) }
      return sleeper
    }
    sleeper?.continuation.resume(returning: false)
  }
}
