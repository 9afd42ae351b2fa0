/// Who is let try a password, and who need not: a pure value, driven by ``Accounts``.
///
/// The limits come first, also before what is known to be right: otherwise somebody who has used them up could go on
/// guessing, and would be told of a right guess for as long as the person is at work.
struct SignInDesk: Sendable {
  typealias Digest = [UInt8]

  enum Answer: Sendable, Equatable {
    case wait(seconds: Int)
    /// Was right a moment ago.
    case proven(ProvenCredentials.Proof)
    /// The same attempt is under way: its answer is for this one too.
    case join(id: Int)
    /// To be looked into.
    case begin(id: Int)
  }

  enum Outcome: Sendable, Equatable {
    case right(ProvenCredentials.Proof)
    case wrong
    /// Cancelled, or the store could not tell.
    case undecided
  }

  private struct Attempt: Sendable {
    var digest: Digest
    var counted: SignInLimiter.Attempt
    var visitors: Set<SignInLimiter.Visitor>
  }

  private var limiter: SignInLimiter
  private var proven: ProvenCredentials
  private var underWay: [Digest: Int] = [:]
  private var attempts: [Int: Attempt] = [:]
  private var nextID = 0

  init(limiter: SignInLimiter = SignInLimiter(), proofLifetime: Duration) {
    self.limiter = limiter
    proven = ProvenCredentials(lifetime: proofLifetime)
  }

  var attemptCount: Int { attempts.count }

  /// Somebody has brought a name and a password.
  mutating func arrive(_ visitor: SignInLimiter.Visitor, digest: Digest, at now: Duration) -> Answer {
    if case .wait(let seconds) = limiter.verdict(visitor, at: now) { return .wait(seconds: seconds) }
    if let proof = proven.proof(digest, at: now) { return .proven(proof) }
    if let id = underWay[digest] {
      attempts[id]?.visitors.insert(visitor)
      return .join(id: id)
    }
    defer { nextID += 1 }
    let counted = limiter.begin(visitor, at: now)
    attempts[nextID] = Attempt(digest: digest, counted: counted, visitors: [visitor])
    underWay[digest] = nextID
    return .begin(id: nextID)
  }

  /// Nobody waits for an attempt any more: who comes now begins anew.
  mutating func abandon(_ id: Int) {
    if let digest = attempts[id]?.digest, underWay[digest] == id { underWay[digest] = nil }
  }

  /// An attempt has come to its end.
  mutating func finish(_ id: Int, _ outcome: Outcome, at now: Duration) {
    abandon(id)
    guard let attempt = attempts.removeValue(forKey: id) else { return }
    switch outcome {
    case .wrong: break
    case .undecided: limiter.giveBack(attempt.counted)
    case .right(let proof):
      limiter.giveBack(attempt.counted)
      proven.add(proof, for: attempt.digest, at: now)
      for visitor in attempt.visitors { limiter.remember(visitor, at: now) }
    }
  }

  /// What was proven still holds for somebody.
  mutating func confirm(_ visitor: SignInLimiter.Visitor, at now: Duration) {
    limiter.remember(visitor, at: now)
  }

  /// What was proven holds no longer.
  mutating func refute(_ digest: Digest) { proven.remove(digest) }

  mutating func forget(user: User.ID) { proven.remove(user: user) }
}
