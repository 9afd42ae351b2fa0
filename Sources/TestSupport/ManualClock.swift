import Synchronization

/// A clock that only advances when a test calls `advance(by:)`.
public final class ManualClock: Clock {
  /// A point in time on a manual clock.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock was created.
    public var offset: Duration

    /// Returns the instant `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// Returns the time from this instant to another one.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether an instant is before another one.
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

  /// Creates a clock at offset zero.
  public init() {}

  /// The current instant.
  public var now: Instant { state.withLock { $0.now } }
  /// The resolution of the clock.
  public var minimumResolution: Duration { .nanoseconds(1) }
  /// The number of tasks that sleep on the clock.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Suspends until the clock reaches `deadline`. Throws `CancellationError` if the task is cancelled.
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

  /// Advances the clock and resumes all sleepers that are due, the earliest deadline first.
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
      // If the task is cancelled before it registers, leave a mark for the registration.
      if sleeper == nil { state.cancelled.insert(identifier) }
      return sleeper
    }
    sleeper?.continuation.resume(returning: false)
  }
}
