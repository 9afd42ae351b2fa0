import Foundation
import KennelStorage
import Synchronization

/// The sign-in attempts in progress and the state that decides whether another attempt is allowed.
struct SignIns: Sendable {
  struct Work: Sendable {
    let task: Task<Result<SignInProof, KennelError>, Never>
    var waiterCount = 1
  }

  var coordinator: SignInCoordinator
  var work: [Int: Work] = [:]
}

/// A user who has signed in, and the password that was verified. A session can begin with it until the password changes.
package struct SignInProof: Sendable {
  package let user: User
  let credentials: VerifiedCredentials
}

extension SignInProof {
  /// - Parameter hash: the hash of the password as it is stored.
  init(user: User, passwordHash hash: String) {
    self.init(
      user: user, credentials: VerifiedCredentials(user: user.id, passwordDigest: Accounts.digest(hash)))
  }
}

extension Accounts {
  /// Verifies a name and a password. The check takes the same time for a name that does not exist.
  ///
  /// Repeated calls are cheap: credentials that were right a short time ago are not hashed again, and equal attempts at
  /// the same time are hashed only once. Cancelling withdraws an attempt that has not started, unless another caller is
  /// waiting for it.
  ///
  /// - Parameter address: the client's IP address.
  /// - Throws: `wrongCredentials`, or `tooManyAttempts` with the seconds to wait.
  package func signIn(
    _ name: String, password: String, address: String
  ) async throws(KennelError) -> SignInProof {
    // All texts that are not valid names share one allowance. Otherwise, each such text would be a new key and a way
    // around the limit.
    let folded = UserName(existing: name)?.folded ?? ""
    let visitor = SignInLimiter.Visitor(name: folded, address: ClientAddress.key(address))
    // A name never contains a NUL character, so no other name and password produce the same bytes.
    let digest = Sodium.keyedHash(Array(folded.utf8) + [0] + password.passwordBytes, key: digestKey)
    while true {
      let now = clock.uptime()
      switch arrive(visitor, digest, at: now, password: password) {
      case .wait(let seconds):
        if try await isKnownElsewhere(visitor, at: now) { continue }
        throw Self.tooManyAttempts(seconds)
      case .attempt(let id, let task):
        return try await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          leave(id)
        }.get()
      case .verified(let credentials):
        if let user = try await user(of: credentials) {
          signIns.withLock { $0.coordinator.confirm(visitor, at: now) }
          return SignInProof(user: user, credentials: credentials)
        }
        // The password has changed since then, so this attempt is verified like any other.
        signIns.withLock { $0.coordinator.invalidate(digest) }
      }
    }
  }

  private static let wrongCredentials = KennelError(
    .wrongCredentials, "The name or the password is wrong.")

  private static func tooManyAttempts(_ seconds: Int) -> KennelError {
    KennelError(
      .tooManyAttempts, "Too many attempts to sign in. Try again in \(seconds) seconds.",
      secondsToWait: seconds)
  }

  /// Returns whether a visitor who must wait as a stranger signed in recently through another process, or before a restart.
  private func isKnownElsewhere(
    _ visitor: SignInLimiter.Visitor, at now: Duration
  ) async throws(KennelError) -> Bool {
    let permission = signIns.withLock { signIns in
      signIns.coordinator.waitsAsUnknown(visitor, at: now)
        ? signIns.coordinator.permission(of: visitor).name : nil
    }
    guard let permission, let rest = try await allowances.remaining(permission) else { return false }
    signIns.withLock { $0.coordinator.confirm(visitor, for: rest, at: now) }
    return true
  }

  /// Discards all verified credentials of a user.
  func discardVerifiedCredentials(of user: User.ID) { signIns.withLock { $0.coordinator.forget(user: user) } }

  private enum Arrival: Sendable {
    case wait(seconds: Int)
    case verified(VerifiedCredentials)
    case attempt(Int, Task<Result<SignInProof, KennelError>, Never>)
  }

  private func arrive(
    _ visitor: SignInLimiter.Visitor, _ digest: SignInCoordinator.Digest, at now: Duration, password: String
  ) -> Arrival {
    signIns.withLock { state in
      switch state.coordinator.arrive(visitor, digest: digest, at: now) {
      case .wait(let seconds): return .wait(seconds: seconds)
      case .verified(let credentials): return .verified(credentials)
      case .join(let id):
        // The coordinator never returns an attempt that has no work.
        guard let task = state.work[id]?.task else { return .wait(seconds: 1) }
        state.work[id]?.waiterCount += 1
        return .attempt(id, task)
      case .begin(let id):
        // The task is only created here. It runs on a separate thread and takes the lock when it has a result.
        let task = Task { await performAttempt(id, name: visitor.name, password: password) }
        state.work[id] = SignIns.Work(task: task)
        return .attempt(id, task)
      }
    }
  }

  /// Removes one waiter from an attempt and cancels the attempt if it was the last one.
  private func leave(_ id: Int) {
    let abandoned = signIns.withLock { state -> SignIns.Work? in
      guard let count = state.work[id]?.waiterCount else { return nil }
      state.work[id]?.waiterCount = count - 1
      guard count == 1 else { return nil }
      state.coordinator.abandon(id)
      return state.work.removeValue(forKey: id)
    }
    abandoned?.task.cancel()
  }

  private func performAttempt(
    _ id: Int, name: String, password: String
  ) async -> Result<SignInProof, KennelError> {
    let counts = signIns.withLock { $0.coordinator.counts(ofAttempt: id) }
    let shared = await allowances.take(counts)
    if let shared {
      signIns.withLock { [now = clock.uptime()] in
        $0.coordinator.learn(shared.untilFull, ofAttempt: id, at: now)
      }
    }
    let result: Result<SignInProof, KennelError>
    let outcome: SignInCoordinator.Outcome
    do throws(KennelError) {
      if let delay = shared?.delay, delay > .zero { throw Self.tooManyAttempts(delay.secondsRoundedUp) }
      let proof = try await verify(name, password)
      (result, outcome) = (.success(proof), .right(proof.credentials))
    } catch {
      result = .failure(error)
      outcome =
        switch error.code {
        case .wrongCredentials: .wrong
        case .tooManyAttempts: .refused
        default: .undecided
        }
    }
    let now = clock.uptime()
    let visitors = signIns.withLock { state in
      let visitors = state.coordinator.visitors(ofAttempt: id)
      state.coordinator.finish(id, outcome, at: now)
      state.work[id] = nil
      return visitors
    }
    let counted = zip(counts, shared?.untilFull ?? []).filter { $0.1 != nil }.map { $0.0 }
    settle(counted, outcome, visitors)
    return result
  }

  /// Completes what all processes know about an attempt.
  private func settle(
    _ counts: [SharedAllowances.Count], _ outcome: SignInCoordinator.Outcome,
    _ visitors: Set<SignInLimiter.Visitor>
  ) {
    switch outcome {
    case .wrong, .refused: break
    case .undecided: allowances.giveBack(counts)
    case .right:
      let permissions = signIns.withLock { state in
        visitors.map { state.coordinator.permission(of: $0) }
      }
      allowances.giveBack(
        counts, recording: Dictionary(permissions.map { ($0.name, $0.duration) }) { first, _ in first })
    }
  }

  private func verify(_ folded: String, _ password: String) async throws(KennelError) -> SignInProof {
    let found = try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT id, name, role, created, language, (SELECT version FROM user_pictures WHERE "user" = users.id), password
        FROM users WHERE folded = ?
        """, .text(folded)
      ) { row throws(KennelError) in (user: try User(row: row), hash: row.text(6)) }
    }
    let isRight = try await hasher.verifies(password, hash: found?.hash)
    guard isRight, let found else { throw Self.wrongCredentials }
    var current = found.hash
    if hasher.isOutdated(found.hash) {
      let hash = try await hasher.hash(password)
      let count = try await database.write { transaction throws(KennelError) in
        // Does nothing if the password was changed in the meantime.
        try transaction.connection.run(
          "UPDATE users SET password = ? WHERE id = ? AND password = ?", .text(hash), .integer(found.user.id),
          .text(found.hash))
      }
      // Another process may have replaced the hash of the same password.
      guard count == 1 else { return try await verify(folded, password) }
      current = hash
    }
    return SignInProof(user: found.user, passwordHash: current)
  }

  /// Returns nil if the user was removed or the password has changed.
  private func user(of credentials: VerifiedCredentials) async throws(KennelError) -> User? {
    try await database.read { connection throws(KennelError) in
      let found = try connection.first(
        """
        SELECT id, name, role, created, language, (SELECT version FROM user_pictures WHERE "user" = users.id), password
        FROM users WHERE id = ?
        """,
        .integer(credentials.user)
      ) { row throws(KennelError) in (user: try User(row: row), hash: row.text(6)) }
      guard let found, Sodium.areEqual(Self.digest(found.hash), credentials.passwordDigest) else {
        return nil
      }
      return found.user
    }
  }

  /// Returns whether the user still exists and still has the password that was verified.
  package func isCurrent(_ proof: SignInProof) async throws(KennelError) -> Bool {
    try await user(of: proof.credentials) != nil
  }

  /// Requires that the user still exists and still has the password that was verified. In a transaction that writes, no other
  /// change comes between this and the commit.
  ///
  /// - Throws: `wrongCredentials`.
  static func require(_ proof: SignInProof, _ connection: any RecordConnection) throws(KennelError) {
    let hash = try connection.first(
      "SELECT password FROM users WHERE id = ?", .integer(proof.user.id), row: { $0.text(0) })
    guard let hash, Sodium.areEqual(digest(hash), proof.credentials.passwordDigest) else {
      throw wrongCredentials
    }
  }

  fileprivate static func digest(_ hash: String) -> [UInt8] { Sodium.sha256(Array(hash.utf8)) }
}
