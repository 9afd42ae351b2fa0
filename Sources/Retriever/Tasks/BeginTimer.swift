#if !canImport(Darwin)
import Foundation

/// The time of day, for loads that begin at a date. Tests use their own.
struct WallClock: Sendable {
  var now: @Sendable () -> Date
  var sleep: @Sendable (Duration) async throws -> Void

  static let system = WallClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })
}

/// What a task keeps while it waits. Releasing it ends the wait.
protocol PendingWait: AnyObject, Sendable {}

/// Calls back at a date. Releasing the timer stops it.
final class BeginTimer: PendingWait {
  /// The system's time may be changed meanwhile, so the timer looks at it again after this time.
  static let maximumSleep: TimeInterval = 60

  private let task: Task<Void, Never>

  init(at date: Date, _ clock: WallClock, _ begin: @escaping @Sendable () -> Void) {
    task = Task {
      while true {
        let rest = date.timeIntervalSince(clock.now())
        guard rest > 0 else { break }
        do { try await clock.sleep(.seconds(min(rest, Self.maximumSleep))) } catch { return }
      }
      if !Task.isCancelled { begin() }
    }
  }

  deinit { task.cancel() }
}
#endif
