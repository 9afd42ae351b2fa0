import Foundation

/// The source of time for Kennel. Tests provide their own clock.
package struct KennelClock: Sendable {
  /// The current date, used for stored dates.
  package var now: @Sendable () -> Date
  /// The time since a fixed moment. It never goes back and is used to measure time-outs.
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
  /// The date as it is stored in the database.
  package var milliseconds: Int64 {
    let number = (timeIntervalSince1970 * 1000).rounded()
    // A date may come from a file or another machine. A date out of range becomes the first or last one.
    return Int64(exactly: number) ?? (number < 0 ? .min : .max)
  }

  package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
