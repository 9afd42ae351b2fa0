/// A clock that stands still until a test advances it.
///
/// Give it to ``HTTPStubs/init(clock:limits:)``. Delays of answers then take no real time: an answer arrives when the
/// test calls ``advance(by:)``. A delay starts when the request arrives. So after ``HTTPStubs/request(_:matching:)``
/// has returned, a test may advance the clock immediately.
public final class ManualClock: Clock {
  /// A point in time on a manual clock.
  public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The time since the clock was created.
    public var offset: Duration

    /// Creates an instant.
    ///
    /// - Parameter offset: The time since the clock was created.
    public init(offset: Duration) { self.offset = offset }

    /// Returns the instant that is a duration later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// Returns the time from this instant to another one.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether an instant is before another one.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    /// The times at which tasks want to continue.
    var deadlines: [Int: Instant] = [:]
    var lastNumber = 0

    var sleeperCount: Int { deadlines.values.count { $0 > now } }
  }

  private let state = WaitableState(State())

  /// Creates a clock at offset zero.
  public init() {}

  /// The current instant.
  public var now: Instant { state.read { $0.now } }

  /// The smallest step of the clock.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep on this clock.
  public var sleeperCount: Int { state.read { $0.sleeperCount } }

  /// Suspends until a test has advanced the clock to an instant.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.change { state in
      state.lastNumber += 1
      state.deadlines[state.lastNumber] = deadline
      return state.lastNumber
    }
    defer { state.change { $0.deadlines[number] = nil } }
    try await state.wait { $0.now >= deadline ? true : nil }
  }

  /// Advances the clock. The tasks whose time has come continue.
  ///
  /// They run after this call has returned, on their own threads.
  public func advance(by duration: Duration) {
    state.change { $0.now = $0.now.advanced(by: max(.zero, duration)) }
  }

  /// Waits until at least a number of tasks sleep on this clock.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func waitForSleepers(_ count: Int = 1) async throws {
    try await state.wait { $0.sleeperCount >= count ? true : nil }
  }
}
