import Glibc

/// A point in time on the system's monotonic clock, in nanoseconds.
struct Monotonic: Comparable, Hashable, Sendable {
  var nanoseconds: Int64

  static func now() -> Monotonic {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Monotonic(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (left: Monotonic, right: Monotonic) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Returns a moment later by a duration. If the clock cannot represent it, the result is the maximum value.
  static func + (moment: Monotonic, duration: Duration) -> Monotonic {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
    return Monotonic(nanoseconds: overflow ? .max : sum)
  }

  /// How long after another moment this one is; zero if it is earlier.
  func duration(since earlier: Monotonic) -> Duration {
    .nanoseconds(max(0, nanoseconds - earlier.nanoseconds))
  }

  /// Full milliseconds from now until this moment, rounded up so that a sleeping thread never wakes too early.
  func milliseconds(after now: Monotonic) -> Int32 {
    guard self > now else { return 0 }
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(now.nanoseconds)
    guard !overflow else { return .max }
    let rounded = difference / 1_000_000 + (difference % 1_000_000 == 0 ? 0 : 1)
    return Int32(clamping: rounded)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to the range of a 64-bit integer.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
