/// Decides when to check the running transfers for time-outs.
///
/// A transfer's deadline moves with every byte, so an ordered structure of deadlines would need an update for each
/// piece of data. Instead, the loop keeps one moment before which no transfer can have expired. At that moment, it
/// checks all transfers, and their earliest deadline becomes the next moment.
struct IdleSweep {
  /// Deadlines within this interval are checked together, because checking many transfers takes time.
  static let granularity = Duration.milliseconds(5)

  private(set) var next: Monotonic?
  private var earliest = Monotonic(nanoseconds: .min)

  /// Adds a deadline: the earliest time at which a transfer can expire.
  mutating func include(_ deadline: Monotonic) {
    let deadline = max(deadline, earliest)
    if let next, next <= deadline { return }
    next = deadline
  }

  /// Returns whether to check now. If so, the caller then includes every remaining transfer again.
  mutating func begins(at now: Monotonic) -> Bool {
    guard let next, next <= now else { return false }
    self.next = nil
    earliest = now + Self.granularity
    return true
  }
}
