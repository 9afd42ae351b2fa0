/// Limits how often a client may try to sign in. A pure value: the caller passes the time.
///
/// Three allowances protect against password guessing. None of them lets an attacker lock a user out:
///
/// - Attempts per address, for all names together. This protects against trying one password on every account.
/// - Attempts per name and address. An attacker uses up the allowance of the attacker's address, not the user's.
/// - Attempts per name from all addresses that the name has never signed in from. A thousand machines therefore do not
///   get a thousand allowances. Attackers can use this allowance up. It does not apply to an address from which the
///   name has signed in recently. The user can still sign in from home during an attack. From a new address, the user
///   has to wait, as the attackers do: only the password could distinguish them.
///
/// All clients that share an address share its allowance, for example a household, or a proxy that Kennel does not know
/// about.
///
/// Each key starts with `burst` attempts and regains one after each `refill`. An attempt counts when it begins, so
/// concurrent attempts do not bypass the limit. A successful attempt is not counted.
struct SignInLimiter: Sendable {
  typealias Allowance = AttemptAllowance

  /// The client of an attempt, as far as it is known.
  struct Visitor: Sendable, Hashable {
    var name: String
    var address: String
  }

  enum Verdict: Sendable, Equatable {
    case allowed
    case wait(seconds: Int)
  }

  private var addresses: AllowanceTable<String>
  private var visitors: AllowanceTable<Visitor>
  /// The attempts of unknown addresses, by name.
  private var unknownVisitors: AllowanceTable<String>
  /// The visitors who signed in recently, and when that expires.
  private var known: [Visitor: Duration] = [:]
  private let knownFor: Duration
  private let capacity: Int

  init(
    address: Allowance = Allowance(burst: 20, refill: .seconds(10)),
    visitor: Allowance = Allowance(burst: 10, refill: .seconds(30)),
    unknownVisitors: Allowance = Allowance(burst: 50, refill: .seconds(60)),
    knownFor: Duration = .seconds(30 * 24 * 3600), capacity: Int = 10_000
  ) {
    let capacity = max(capacity, 1)
    self.capacity = capacity
    self.knownFor = knownFor
    addresses = AllowanceTable(address, capacity: capacity)
    visitors = AllowanceTable(visitor, capacity: capacity)
    self.unknownVisitors = AllowanceTable(unknownVisitors, capacity: capacity)
  }

  var entryCount: Int {
    addresses.count + visitors.count + unknownVisitors.count + known.count
  }

  /// Returns whether an attempt is allowed, without counting it.
  func verdict(_ visitor: Visitor, at now: Duration) -> Verdict {
    var delay = max(addresses.delay(visitor.address, at: now), visitors.delay(visitor, at: now))
    if !isKnown(visitor, at: now) { delay = max(delay, unknownVisitors.delay(visitor.name, at: now)) }
    guard delay > .zero else { return .allowed }
    return .wait(seconds: delay.secondsRoundedUp)
  }

  /// Counts an allowed attempt. Returns the value to pass to ``refund(_:)``.
  mutating func begin(_ visitor: Visitor, at now: Duration) -> Attempt {
    let attempt = Attempt(visitor: visitor, isUnknown: !isKnown(visitor, at: now))
    addresses.take(visitor.address, at: now)
    visitors.take(visitor, at: now)
    if attempt.isUnknown { unknownVisitors.take(visitor.name, at: now) }
    return attempt
  }

  /// The keys under which an attempt was counted.
  struct Attempt: Sendable, Hashable {
    var visitor: Visitor
    fileprivate var isUnknown: Bool
  }

  /// Removes an attempt from the count because it was right or had no result.
  mutating func refund(_ attempt: Attempt) {
    addresses.refund(attempt.visitor.address)
    visitors.refund(attempt.visitor)
    if attempt.isUnknown { unknownVisitors.refund(attempt.visitor.name) }
  }

  /// Records that a visitor knew the password.
  ///
  /// - Parameter duration: how long that counts (default: from now on for the time of the limiter).
  mutating func remember(_ visitor: Visitor, for duration: Duration? = nil, at now: Duration) {
    known.makeRoom(for: visitor, capacity: capacity, at: now)
    known[visitor] = now + min(duration ?? knownFor, knownFor)
  }

  private func isKnown(_ visitor: Visitor, at now: Duration) -> Bool {
    known[visitor].map { $0 > now } ?? false
  }
}

// MARK: Attempts that processes count together

extension SignInLimiter {
  /// Returns the allowances of an attempt. They are in the order of ``learn(_:of:at:)``.
  func counts(of attempt: Attempt) -> [SharedAllowances.Count] {
    let visitor = attempt.visitor
    var counts = [
      SharedAllowances.Count(text: "sign-in address \(visitor.address)", allowance: addresses.allowance),
      // An address has no space, so a name cannot be mistaken for a part of it.
      SharedAllowances.Count(
        text: "sign-in visitor \(visitor.address) \(visitor.name)", allowance: visitors.allowance),
    ]
    if attempt.isUnknown {
      counts.append(
        SharedAllowances.Count(
          text: "sign-in name \(visitor.name)", allowance: unknownVisitors.allowance,
          exemption: permission(of: visitor)))
    }
    return counts
  }

  /// The name of the permission of a visitor who signed in recently.
  func permission(of visitor: Visitor) -> String { "sign-in known \(visitor.address) \(visitor.name)" }

  /// How long a visitor is known.
  var permissionDuration: Duration { knownFor }

  /// Replaces the counts of an attempt by those of all processes.
  mutating func learn(_ untilFull: [Duration?], of attempt: Attempt, at now: Duration) {
    let visitor = attempt.visitor
    for (index, rest) in untilFull.enumerated() {
      switch index {
      case 0: if let rest { addresses.setFull(visitor.address, at: now + rest) }
      case 1: if let rest { visitors.setFull(visitor, at: now + rest) }
      default:
        if let rest {
          unknownVisitors.setFull(visitor.name, at: now + rest)
        } else {
          // Another process knows this visitor.
          remember(visitor, at: now)
        }
      }
    }
  }

  /// Whether a visitor must wait only because nobody has signed in with this name from this address, as far as this process knows.
  func waitsAsUnknown(_ visitor: Visitor, at now: Duration) -> Bool {
    !isKnown(visitor, at: now) && addresses.delay(visitor.address, at: now) == .zero
      && visitors.delay(visitor, at: now) == .zero
  }
}
