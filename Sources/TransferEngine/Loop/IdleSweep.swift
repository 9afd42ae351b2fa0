/// Decides when the running transfers must next be looked through for one that has been idle for too long.
///
/// A transfer's deadline moves with every byte, so a deadline per transfer in an ordered structure would be work for
/// each piece that arrives. Instead the loop keeps one moment before which nothing can have expired; when it comes,
/// all transfers are asked once, and their earliest deadline is the next moment.
struct IdleSweep {
  private(set) var next: Monotonic?

  /// A transfer started whose earliest possible expiry this is.
  mutating func include(_ deadline: Monotonic) {
    if let next, next <= deadline { return }
    next = deadline
  }

  /// Whether to look now. Afterwards each transfer that goes on is to be included again.
  mutating func begins(at now: Monotonic) -> Bool {
    guard let next, next <= now else { return false }
    self.next = nil
    return true
  }
}
