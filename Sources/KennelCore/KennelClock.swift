import Foundation

/// Where Kennel takes the time from; a test hands in its own.
package struct KennelClock: Sendable {
  /// The date: what is written down.
  package var now: @Sendable () -> Date
  /// The time since some moment, never going back: what waiting is measured with.
  package var uptime: @Sendable () -> Duration

  package init(now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration) {
    self.now = now
    self.uptime = uptime
  }

  /// The system's clocks.
  package static let system: KennelClock = {
    let start = ContinuousClock.now
    return KennelClock(now: { Date() }, uptime: { start.duration(to: .now) })
  }()
}

extension Date {
  /// As dates stand in the database.
  var milliseconds: Int64 {
    let number = (timeIntervalSince1970 * 1000).rounded()
    // A date may come from a file or another machine: one that no number of milliseconds can tell is the last one.
    return Int64(exactly: number) ?? (number < 0 ? .min : .max)
  }

  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
