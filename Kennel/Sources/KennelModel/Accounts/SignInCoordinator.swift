/// Decides whether a sign-in attempt is allowed and whether a password must be hashed. A pure value, driven by
/// ``Accounts``.
///
/// The limits apply first, even to credentials that are known to be right. Otherwise, an attacker who has used up the
/// limit could continue to guess while the user is active, and would learn about a right guess.
struct SignInCoordinator: Sendable {
  typealias Digest = [UInt8]

  enum Answer: Sendable, Equatable {
    case wait(seconds: Int)
    /// The credentials were verified recently.
    case verified(VerifiedCredentials)
    /// The same attempt is already in progress. Its result applies to this one too.
    case join(id: Int)
    /// Start an attempt.
    case begin(id: Int)
  }

  enum Outcome: Sendable, Equatable {
    case right(VerifiedCredentials)
    case wrong
    /// The limit that all processes share was reached, so nothing was verified. The counts are those of all processes.
    case refused
    /// The attempt was cancelled, or the store failed.
    case undecided
  }

  private struct Attempt: Sendable {
    var digest: Digest
    var counted: SignInLimiter.Attempt
    var visitors: Set<SignInLimiter.Visitor>
  }

  private var limiter: SignInLimiter
  private var verified: VerifiedCredentialsCache
  private var inProgress: [Digest: Int] = [:]
  private var attempts: [Int: Attempt] = [:]
  private var nextID = 0

  init(limiter: SignInLimiter = SignInLimiter(), verificationLifetime: Duration) {
    self.limiter = limiter
    verified = VerifiedCredentialsCache(lifetime: verificationLifetime)
  }

  var attemptCount: Int { attempts.count }

  /// Handles a new attempt with a name and a password.
  mutating func arrive(_ visitor: SignInLimiter.Visitor, digest: Digest, at now: Duration) -> Answer {
    if case .wait(let seconds) = limiter.verdict(visitor, at: now) { return .wait(seconds: seconds) }
    if let credentials = verified.credentials(digest, at: now) { return .verified(credentials) }
    if let id = inProgress[digest] {
      attempts[id]?.visitors.insert(visitor)
      return .join(id: id)
    }
    defer { nextID += 1 }
    let counted = limiter.begin(visitor, at: now)
    attempts[nextID] = Attempt(digest: digest, counted: counted, visitors: [visitor])
    inProgress[digest] = nextID
    return .begin(id: nextID)
  }

  /// Marks an attempt as abandoned because no caller waits for it. The next equal attempt starts again.
  mutating func abandon(_ id: Int) {
    if let digest = attempts[id]?.digest, inProgress[digest] == id { inProgress[digest] = nil }
  }

  /// Records the result of an attempt.
  mutating func finish(_ id: Int, _ outcome: Outcome, at now: Duration) {
    abandon(id)
    guard let attempt = attempts.removeValue(forKey: id) else { return }
    switch outcome {
    case .wrong, .refused: break
    case .undecided: limiter.refund(attempt.counted)
    case .right(let credentials):
      limiter.refund(attempt.counted)
      verified.add(credentials, for: attempt.digest, at: now)
      for visitor in attempt.visitors { limiter.remember(visitor, at: now) }
    }
  }

  /// Records that verified credentials are still valid for a visitor.
  mutating func confirm(_ visitor: SignInLimiter.Visitor, at now: Duration) {
    limiter.remember(visitor, at: now)
  }

  /// Records that another process knows a visitor.
  mutating func confirm(_ visitor: SignInLimiter.Visitor, for duration: Duration, at now: Duration) {
    limiter.remember(visitor, for: duration, at: now)
  }

  /// Whether a visitor must wait only because this process does not know the visitor.
  func waitsAsUnknown(_ visitor: SignInLimiter.Visitor, at now: Duration) -> Bool {
    limiter.waitsAsUnknown(visitor, at: now)
  }

  /// The name of the permission of a visitor who signed in recently, and how long it lasts.
  func permission(of visitor: SignInLimiter.Visitor) -> (name: String, duration: Duration) {
    (limiter.permission(of: visitor), limiter.permissionDuration)
  }

  /// Returns what all processes count together for an attempt.
  func counts(ofAttempt id: Int) -> [SharedAllowances.Count] {
    attempts[id].map { limiter.counts(of: $0.counted) } ?? []
  }

  /// The visitors who wait for the result of an attempt.
  func visitors(ofAttempt id: Int) -> Set<SignInLimiter.Visitor> { attempts[id]?.visitors ?? [] }

  /// Replaces the counts of an attempt by those of all processes.
  mutating func learn(_ untilFull: [Duration?], ofAttempt id: Int, at now: Duration) {
    guard let attempt = attempts[id] else { return }
    limiter.learn(untilFull, of: attempt.counted, at: now)
  }

  /// Discards verified credentials that are no longer valid.
  mutating func invalidate(_ digest: Digest) { verified.remove(digest) }

  mutating func forget(user: User.ID) { verified.remove(user: user) }
}
