/// The number of attempts that a client may make.
struct AttemptAllowance: Sendable, Hashable {
  var burst: Int
  /// The time after which one more attempt is allowed.
  var refill: Duration

  /// The time after which an allowance that was used up is full again.
  var total: Duration { refill * burst }
}

/// The attempts by key, such as by address. A pure value: the caller passes the time.
struct AllowanceTable<Key: Hashable & Sendable>: Sendable {
  let allowance: AttemptAllowance
  private let capacity: Int
  /// The moment at which the allowance of each key is full again. A moment in the past is equivalent to no entry.
  private var moments: [Key: Duration] = [:]

  init(_ allowance: AttemptAllowance, capacity: Int) {
    self.allowance = allowance
    self.capacity = max(capacity, 1)
  }

  var count: Int { moments.count }

  /// Returns the time to wait before an attempt, or zero if one is allowed now.
  func delay(_ key: Key, at now: Duration) -> Duration {
    let next = max(moments[key] ?? now, now) + allowance.refill
    return max(.zero, next - now - allowance.total)
  }

  mutating func take(_ key: Key, at now: Duration) {
    moments.makeRoom(for: key, capacity: capacity, at: now)
    moments[key] = max(moments[key] ?? now, now) + allowance.refill
  }

  mutating func refund(_ key: Key) {
    if let moment = moments[key] { moments[key] = moment - allowance.refill }
  }

  /// The moment at which the allowance of a key is full again, or nil if it is full.
  func fullAt(_ key: Key) -> Duration? { moments[key] }

  /// Replaces what is known about a key.
  mutating func setFull(_ key: Key, at moment: Duration) {
    if moments[key] != nil || moments.count < capacity { moments[key] = moment }
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
