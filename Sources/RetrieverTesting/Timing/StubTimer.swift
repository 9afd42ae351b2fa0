/// A clock of any type, as the time since its timer was created.
struct StubTimer: Sendable {
  /// The time since the timer was created.
  let elapsed: @Sendable () -> Duration
  private let sleepUntil: @Sendable (Duration) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    elapsed = { origin.duration(to: clock.now) }
    sleepUntil = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
  }

  /// Suspends until a time since the timer's start.
  func sleep(until time: Duration) async throws {
    if time > elapsed() { try await sleepUntil(time) } else { try Task.checkCancellation() }
  }
}
