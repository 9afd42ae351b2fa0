import Foundation
import Synchronization

/// The attempts that are under way, and who may make another one.
struct SignIns: Sendable {
  struct Work: Sendable {
    let task: Task<Result<User, KennelError>, Never>
    var waiterCount = 1
  }

  var desk: SignInDesk
  var work: [Int: Work] = [:]
}

extension Accounts {
  /// Looks whether a name and a password belong together; takes as long for a name that nobody has.
  ///
  /// Cheap to ask again: what was right a moment ago is not hashed again, and equal attempts at the same time are hashed
  /// once. Cancelling takes an attempt back that nobody else waits for and that has not begun.
  ///
  /// - Parameter address: the client's IP address.
  /// - Throws: `wrongCredentials`, or `tooManyAttempts` with the seconds to wait.
  package func signIn(
    _ name: String, password: String, address: String
  ) async throws(KennelError) -> User {
    // What cannot be a name shares one allowance: each such text being a key of its own would be a way around.
    let folded = UserName(existing: name)?.folded ?? ""
    let visitor = SignInLimiter.Visitor(name: folded, address: ClientAddress.key(address))
    // A name has no NUL character: no other name and password give the same bytes.
    let digest = Sodium.keyedHash(Array(folded.utf8) + [0] + password.passwordBytes, key: digestKey)
    while true {
      let now = clock.uptime()
      switch arrive(visitor, digest, at: now, password: password) {
      case .wait(let seconds):
        throw KennelError(
          .tooManyAttempts, "Too many attempts to sign in. Try again in \(seconds) seconds.",
          secondsToWait: seconds)
      case .attempt(let id, let task):
        return try await withTaskCancellationHandler {
          await task.value
        } onCancel: {
          leave(id)
        }.get()
      case .proven(let proof):
        if let user = try await user(of: proof) {
          signIns.withLock { $0.desk.confirm(visitor, at: now) }
          return user
        }
        // Another password since: this attempt is looked into like any other.
        signIns.withLock { $0.desk.refute(digest) }
      }
    }
  }

  /// What was proven of a user holds no longer.
  func forgetProofs(of user: User.ID) { signIns.withLock { $0.desk.forget(user: user) } }

  private enum Arrival: Sendable {
    case wait(seconds: Int)
    case proven(ProvenCredentials.Proof)
    case attempt(Int, Task<Result<User, KennelError>, Never>)
  }

  private func arrive(
    _ visitor: SignInLimiter.Visitor, _ digest: SignInDesk.Digest, at now: Duration, password: String
  ) -> Arrival {
    signIns.withLock { state in
      switch state.desk.arrive(visitor, digest: digest, at: now) {
      case .wait(let seconds): return .wait(seconds: seconds)
      case .proven(let proof): return .proven(proof)
      case .join(let id):
        // The desk sends nobody to an attempt that has no work.
        guard let task = state.work[id]?.task else { return .wait(seconds: 1) }
        state.work[id]?.waiterCount += 1
        return .attempt(id, task)
      case .begin(let id):
        // Only made here: it runs on a thread of its own, and takes the lock when it has an answer.
        let task = Task { await settle(id, name: visitor.name, password: password) }
        state.work[id] = SignIns.Work(task: task)
        return .attempt(id, task)
      }
    }
  }

  /// One of those who wait for an attempt has gone.
  private func leave(_ id: Int) {
    let abandoned = signIns.withLock { state -> SignIns.Work? in
      guard let count = state.work[id]?.waiterCount else { return nil }
      state.work[id]?.waiterCount = count - 1
      guard count == 1 else { return nil }
      state.desk.abandon(id)
      return state.work.removeValue(forKey: id)
    }
    abandoned?.task.cancel()
  }

  private func settle(_ id: Int, name: String, password: String) async -> Result<User, KennelError> {
    let result: Result<User, KennelError>
    let outcome: SignInDesk.Outcome
    do throws(KennelError) {
      let proven = try await prove(name, password)
      (result, outcome) = (.success(proven.user), .right(proven.proof))
    } catch {
      (result, outcome) = (.failure(error), error.code == .wrongCredentials ? .wrong : .undecided)
    }
    let now = clock.uptime()
    signIns.withLock { state in
      state.desk.finish(id, outcome, at: now)
      state.work[id] = nil
    }
    return result
  }

  private func prove(
    _ folded: String, _ password: String
  ) async throws(KennelError) -> (user: User, proof: ProvenCredentials.Proof) {
    let found = try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT id, name, role, created, password FROM users WHERE folded = ?", .text(folded)
      ) { row throws(KennelError) in (user: try User(row: row), hash: row.text(4)) }
    }
    let isRight = try await hasher.verifies(password, hash: found?.hash)
    guard isRight, let found else {
      throw KennelError(.wrongCredentials, "The name or the password is wrong.")
    }
    var current = found.hash
    if hasher.isOutdated(found.hash) {
      let hash = try await hasher.hash(password)
      let count = try await database.write { transaction throws(KennelError) in
        // Unless the password was changed meanwhile.
        try transaction.connection.run(
          "UPDATE users SET password = ? WHERE id = ? AND password = ?", .text(hash), .integer(found.user.id),
          .text(found.hash))
      }
      if count == 1 { current = hash }
    }
    return (found.user, ProvenCredentials.Proof(user: found.user.id, passwordDigest: Self.digest(current)))
  }

  /// Nil when the user is gone or has another password by now.
  private func user(of proof: ProvenCredentials.Proof) async throws(KennelError) -> User? {
    try await database.read { connection throws(KennelError) in
      let found = try connection.first(
        "SELECT id, name, role, created, password FROM users WHERE id = ?", .integer(proof.user)
      ) { row throws(KennelError) in (user: try User(row: row), hash: row.text(4)) }
      guard let found, Sodium.areEqual(Self.digest(found.hash), proof.passwordDigest) else { return nil }
      return found.user
    }
  }

  private static func digest(_ hash: String) -> [UInt8] { Sodium.sha256(Array(hash.utf8)) }
}
