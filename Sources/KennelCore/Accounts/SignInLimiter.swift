/// How often somebody may try to sign in under a name, and from an address: a pure value that is told the time.
///
/// Each key has some attempts at once and gets another one each `refill`. An attempt counts when it begins, so that
/// many at the same time are no way around it, and is given back when it was right.
struct SignInLimiter: Sendable {
  /// How much is allowed for one key.
  struct Allowance: Sendable, Hashable {
    var burst: Int
    var refill: Duration
  }

  enum Verdict: Sendable, Equatable {
    case allowed
    case wait(seconds: Int)
  }

  /// For each key the moment at which its allowance is whole again; those in the past are as good as none.
  private struct Table: Sendable {
    let allowance: Allowance
    let capacity: Int
    var wholeAt: [String: Duration] = [:]

    /// Zero when an attempt is allowed.
    func delay(_ key: String, at now: Duration) -> Duration {
      let next = max(wholeAt[key] ?? now, now) + allowance.refill
      return max(.zero, next - now - allowance.refill * allowance.burst)
    }

    mutating func take(_ key: String, at now: Duration) {
      if wholeAt[key] == nil, wholeAt.count >= capacity { makeRoom(at: now) }
      wholeAt[key] = max(wholeAt[key] ?? now, now) + allowance.refill
    }

    mutating func giveBack(_ key: String) {
      if let moment = wholeAt[key] { wholeAt[key] = moment - allowance.refill }
    }

    private mutating func makeRoom(at now: Duration) {
      wholeAt = wholeAt.filter { $0.value > now }
      guard wholeAt.count >= capacity else { return }
      // The one that has the least to wait for loses its entry.
      if let key = wholeAt.min(by: { $0.value < $1.value })?.key { wholeAt[key] = nil }
    }
  }

  private var names: Table
  private var addresses: Table

  init(
    name: Allowance = Allowance(burst: 10, refill: .seconds(30)),
    address: Allowance = Allowance(burst: 20, refill: .seconds(10)), capacity: Int = 10_000
  ) {
    names = Table(allowance: name, capacity: max(capacity, 1))
    addresses = Table(allowance: address, capacity: max(capacity, 1))
  }

  var entryCount: Int { names.wholeAt.count + addresses.wholeAt.count }

  /// An attempt is about to be made.
  mutating func begin(name: String, address: String, at now: Duration) -> Verdict {
    let delay = max(names.delay(name, at: now), addresses.delay(address, at: now))
    guard delay == .zero else {
      let (seconds, rest) = delay.components
      return .wait(seconds: Int(seconds) + (rest > 0 ? 1 : 0))
    }
    names.take(name, at: now)
    addresses.take(address, at: now)
    return .allowed
  }

  /// The attempt was right, or was never decided: it does not count.
  mutating func giveBack(name: String, address: String) {
    names.giveBack(name)
    addresses.giveBack(address)
  }
}
