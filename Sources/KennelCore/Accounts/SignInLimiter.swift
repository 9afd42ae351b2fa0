/// How often somebody may try to sign in: a pure value that is told the time.
///
/// Three allowances stand against guessing, and none of them lets a stranger shut a person out:
///
/// - An address has so many attempts, whatever the names: against one password tried on everybody.
/// - A name has so many attempts *from one address*. A stranger uses up their own, not the person's.
/// - A name has so many attempts from all addresses it has never signed in from, so that a thousand machines do not
///   have a thousand allowances. Strangers can use this one up. An address the name has signed in from of late does
///   not come under it: the person goes on from home while a crowd is guessing. From a new address the person has to
///   wait meanwhile, as has the crowd; nothing tells them apart before the password does.
///
/// Whoever shares the person's address (a household, a proxy that Kennel was not told of) shares its allowance.
///
/// Each key has some attempts at once and gets another one each `refill`. An attempt counts when it begins, so that
/// many at the same time are no way around it, and is given back when it was right.
struct SignInLimiter: Sendable {
  /// How much is allowed for one key.
  struct Allowance: Sendable, Hashable {
    var burst: Int
    var refill: Duration
  }

  /// Who tries, as far as can be told.
  struct Visitor: Sendable, Hashable {
    var name: String
    var address: String
  }

  enum Verdict: Sendable, Equatable {
    case allowed
    case wait(seconds: Int)
  }

  /// For each key the moment at which its allowance is whole again; those in the past are as good as none.
  private struct Table<Key: Hashable & Sendable>: Sendable {
    let allowance: Allowance
    let capacity: Int
    var wholeAt: [Key: Duration] = [:]

    init(_ allowance: Allowance, capacity: Int) {
      self.allowance = allowance
      self.capacity = capacity
    }

    /// Zero when an attempt is allowed.
    func delay(_ key: Key, at now: Duration) -> Duration {
      let next = max(wholeAt[key] ?? now, now) + allowance.refill
      return max(.zero, next - now - allowance.refill * allowance.burst)
    }

    mutating func take(_ key: Key, at now: Duration) {
      wholeAt.makeRoom(for: key, capacity: capacity, at: now)
      wholeAt[key] = max(wholeAt[key] ?? now, now) + allowance.refill
    }

    mutating func giveBack(_ key: Key) {
      if let moment = wholeAt[key] { wholeAt[key] = moment - allowance.refill }
    }
  }

  private var addresses: Table<String>
  private var visitors: Table<Visitor>
  /// By name.
  private var strangers: Table<String>
  /// Who was right of late, and until when that counts.
  private var known: [Visitor: Duration] = [:]
  private let knownFor: Duration
  private let capacity: Int

  init(
    address: Allowance = Allowance(burst: 20, refill: .seconds(10)),
    visitor: Allowance = Allowance(burst: 10, refill: .seconds(30)),
    strangers: Allowance = Allowance(burst: 50, refill: .seconds(60)),
    knownFor: Duration = .seconds(30 * 24 * 3600), capacity: Int = 10_000
  ) {
    let capacity = max(capacity, 1)
    self.capacity = capacity
    self.knownFor = knownFor
    addresses = Table(address, capacity: capacity)
    visitors = Table(visitor, capacity: capacity)
    self.strangers = Table(strangers, capacity: capacity)
  }

  var entryCount: Int {
    addresses.wholeAt.count + visitors.wholeAt.count + strangers.wholeAt.count + known.count
  }

  /// Whether an attempt may be made; it does not count yet.
  func verdict(_ visitor: Visitor, at now: Duration) -> Verdict {
    var delay = max(addresses.delay(visitor.address, at: now), visitors.delay(visitor, at: now))
    if !isKnown(visitor, at: now) { delay = max(delay, strangers.delay(visitor.name, at: now)) }
    guard delay > .zero else { return .allowed }
    let (seconds, rest) = delay.components
    return .wait(seconds: Int(seconds) + (rest > 0 ? 1 : 0))
  }

  /// An attempt that is allowed begins. What is to be given back later is the answer.
  mutating func begin(_ visitor: Visitor, at now: Duration) -> Attempt {
    let attempt = Attempt(visitor: visitor, isStranger: !isKnown(visitor, at: now))
    addresses.take(visitor.address, at: now)
    visitors.take(visitor, at: now)
    if attempt.isStranger { strangers.take(visitor.name, at: now) }
    return attempt
  }

  /// What an attempt was counted under.
  struct Attempt: Sendable, Hashable {
    var visitor: Visitor
    fileprivate var isStranger: Bool
  }

  /// The attempt was right, or was never decided: it does not count.
  mutating func giveBack(_ attempt: Attempt) {
    addresses.giveBack(attempt.visitor.address)
    visitors.giveBack(attempt.visitor)
    if attempt.isStranger { strangers.giveBack(attempt.visitor.name) }
  }

  /// Somebody knew the password.
  mutating func remember(_ visitor: Visitor, at now: Duration) {
    known.makeRoom(for: visitor, capacity: capacity, at: now)
    known[visitor] = now + knownFor
  }

  private func isKnown(_ visitor: Visitor, at now: Duration) -> Bool {
    known[visitor].map { $0 > now } ?? false
  }
}

extension Dictionary where Key: Sendable, Value == Duration {
  /// Has room for a key: what is over goes first, then what is over the soonest.
  fileprivate mutating func makeRoom(for key: Key, capacity: Int, at now: Duration) {
    guard self[key] == nil, count >= capacity else { return }
    self = filter { $0.value > now }
    guard count >= capacity, let first = self.min(by: { $0.value < $1.value })?.key else { return }
    self[first] = nil
  }
}
