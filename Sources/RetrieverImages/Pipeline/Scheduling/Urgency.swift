/// The urgency of work: all visible work comes before all prefetches.
struct Urgency: Sendable, Hashable, Comparable {
  static let levels = 10

  /// 0 to 4 for prefetches, 5 to 9 for visible work.
  let level: Int

  init(level: Int) { self.level = min(max(level, 0), Self.levels - 1) }

  init(_ priority: WorkPriority, isPrefetch: Bool) {
    let below = WorkPriority.allCases.count { $0 < priority }
    self.init(level: below + (isPrefetch ? 0 : 5))
  }

  var isPrefetch: Bool { level < 5 }

  /// The priority on the decoding threads, where prefetches come last.
  var workPriority: WorkPriority {
    let levels = WorkPriority.allCases
    return isPrefetch ? .veryLow : levels[min(max(Self.levels - 1 - level, 0), levels.count - 1)]
  }

  static func < (left: Urgency, right: Urgency) -> Bool { left.level < right.level }
}

/// The number of waiters for one job by urgency. The job is as urgent as its most urgent waiter.
struct Interest: Sendable {
  private var counts = [Int](repeating: 0, count: Urgency.levels)
  private(set) var total = 0

  /// The urgency of the most urgent waiter; the lowest urgency if there is no waiter.
  var urgency: Urgency { Urgency(level: counts.lastIndex { $0 > 0 } ?? 0) }

  mutating func add(_ urgency: Urgency) {
    counts[urgency.level] += 1
    total += 1
  }

  mutating func remove(_ urgency: Urgency) {
    counts[urgency.level] -= 1
    total -= 1
  }
}
