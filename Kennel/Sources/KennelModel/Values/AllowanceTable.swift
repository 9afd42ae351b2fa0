/// The number of attempts that a client may make.
struct AttemptAllowance: Sendable, Hashable {
  var burst: Int
  /// The time after which one more attempt is allowed.
  var refill: Duration
}

/// The attempts by key, such as by address. A pure value: the caller passes the time.
struct AllowanceTable<Key: Hashable & Sendable>: Sendable {
  let allowance: AttemptAllowance
  private let capacity: Int
  /// The moment at which the allowance of each key is full again. A moment in the past is equivalent to no entry.
  private var fullAt: [Key: Duration] = [:]

  init(_ allowance: AttemptAllowance, capacity: Int) {
    self.allowance = allowance
    self.capacity = max(capacity, 1)
  }

  var count: Int { fullAt.count }

  /// Returns the time to wait before an attempt, or zero if one is allowed now.
  func delay(_ key: Key, at now: Duration) -> Duration {
    let next = max(fullAt[key] ?? now, now) + allowance.refill
    return max(.zero, next - now - allowance.refill * allowance.burst)
  }

  mutating func take(_ key: Key, at now: Duration) {
    fullAt.makeRoom(for: key, capacity: capacity, at: now)
    fullAt[key] = max(fullAt[key] ?? now, now) + allowance.refill
  }

  mutating func refund(_ key: Key) {
    if let moment = fullAt[key] { fullAt[key] = moment - allowance.refill }
  }
}

extension Dictionary where Key: Sendable, Value == Duration {
  /// Makes room for a key. Removes expired entries first, then the entry that expires next.
  mutating func makeRoom(for key: Key, capacity: Int, at now: Duration) {
    guard self[key] == nil, count >= capacity else { return }
    self = filter { $0.value > now }
    guard count >= capacity, let first = self.min(by: { $0.value < $1.value })?.key else { return }
    self[first] = nil
  }
}

extension Duration {
  /// The number of complete seconds that are not shorter.
  var secondsRoundedUp: Int {
    let (seconds, rest) = components
    return Int(seconds) + (rest > 0 ? 1 : 0)
  }
}
