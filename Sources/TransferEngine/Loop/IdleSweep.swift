/// Decides when the running transfers must next be looked through for one that has been idle for too long.
///
/// A transfer's deadline moves with every byte, so a deadline per transfer in an ordered structure would be work for
/// each piece that arrives. Instead the loop keeps one moment before which nothing can have expired; when it comes,
/// all transfers are asked once, and their earliest deadline is the next moment.
struct IdleSweep {
  /// Looking through a crowd costs time: deadlines within this long of each other are one moment.
  static let granularity = Duration.milliseconds(5)

  private(set) var next: Monotonic?
  private var earliest = Monotonic(nanoseconds: .min)

  /// A transfer started whose earliest possible expiry this is.
  mutating func include(_ deadline: Monotonic) {
    let deadline = max(deadline, earliest)
    if let next, next <= deadline { return }
    next = deadline
  }

  /// Whether to look now. Afterwards each transfer that goes on is to be included again.
  mutating func begins(at now: Monotonic) -> Bool {
    guard let next, next <= now else { return false }
    self.next = nil
    earliest = now + Self.granularity
    return true
  }
}
