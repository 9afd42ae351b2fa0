/// Counts durations in buckets of about 1.5 %. The memory does not depend on the number of durations.
package struct LatencyHistogram: Sendable, Equatable {
  private static let exact: UInt64 = 128
  /// Each power of two from `exact` has so many buckets.
  private static let steps = 64
  /// 2^40 µs are 12 days. Longer durations count as this.
  private static let maximum: UInt64 = 1 << 40

  private var counts: [Int] = []
  package private(set) var count = 0
  private var longest: UInt64 = 0

  package init() {}

  package mutating func record(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let (product, isTooMuch) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
    let part = UInt64(clamping: attoseconds / 1_000_000_000_000)
    let microseconds = isTooMuch ? Self.maximum : min(Self.maximum, product.addingReportingOverflow(part).0)
    let index = Self.index(of: microseconds)
    if index >= counts.count { counts += Array(repeating: 0, count: index + 1 - counts.count) }
    counts[index] += 1
    count += 1
    longest = max(longest, microseconds)
  }

  package mutating func add(_ other: LatencyHistogram) {
    if other.counts.count > counts.count {
      counts += Array(repeating: 0, count: other.counts.count - counts.count)
    }
    for (index, number) in other.counts.enumerated() { counts[index] += number }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// The longest duration in milliseconds; 0 if there is none.
  package var maximumMilliseconds: Double { Double(longest) / 1_000 }

  /// Returns the duration in milliseconds that this share of the durations does not exceed; 0 if there are none.
  ///
  /// - Parameter share: from 0 to 1, such as 0.99.
  package func milliseconds(_ share: Double) -> Double {
    let wanted = max(1, Int((Double(count) * share).rounded(.up)))
    var seen = 0
    for (index, number) in counts.enumerated() {
      seen += number
      if seen >= wanted { return Double(min(Self.upperBound(of: index), longest)) / 1_000 }
    }
    return 0
  }

  private static func index(of value: UInt64) -> Int {
    guard value >= exact else { return Int(value) }
    let shift = UInt64.bitWidth - 1 - value.leadingZeroBitCount - 6
    return Int(exact) + (shift - 1) * steps + Int(value >> UInt64(shift)) - steps
  }

  /// The largest duration that a bucket counts.
  private static func upperBound(of index: Int) -> UInt64 {
    guard index >= Int(exact) else { return UInt64(index) }
    let shift = UInt64((index - Int(exact)) / steps + 1)
    let step = UInt64((index - Int(exact)) % steps + steps)
    return (step + 1) << shift - 1
  }
}
