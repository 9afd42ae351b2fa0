/// What hashing a password costs with Argon2id.
package struct PasswordCost: Sendable, Hashable {
  /// How often the memory is gone through.
  package var passes: Int
  /// Bytes of memory.
  package var memory: Int

  package init(passes: Int, memory: Int) {
    self.passes = passes
    self.memory = memory
  }

  /// libsodium's parameters for interactive use: 64 MiB, gone through twice, by one thread.
  package static let interactive = PasswordCost(passes: 2, memory: 64 << 20)
  /// The least that libsodium takes; for tests only.
  package static let least = PasswordCost(passes: 1, memory: 8 << 10)
}

/// Hashes and compares passwords on threads of its own; only so many at once, for each takes much memory.
struct PasswordHasher: Sendable {
  let cost: PasswordCost
  let lane: Lane<Void>
  /// The hash of no password, in the place of that of a user who does not exist.
  let decoy: String

  init(cost: PasswordCost, concurrency: Int, waitingLimit: Int) throws(KennelError) {
    try Sodium.begin()
    self.cost = cost
    lane = Lane("passwords", slots: concurrency, waitingLimit: waitingLimit)
    let salt = Sodium.base64(Sodium.randomBytes(16), forURL: false)
    let hash = Sodium.base64(Sodium.randomBytes(32), forURL: false)
    decoy = "$argon2id$v=19$m=\(cost.memory >> 10),t=\(cost.passes),p=1$\(salt)$\(hash)"
  }

  func hash(_ password: String) async throws(KennelError) -> String {
    let bytes = password.passwordBytes
    return try await lane.run { [cost] () throws(KennelError) in
      guard let hash = Sodium.passwordHash(bytes, cost) else { throw Self.noMemory }
      return hash
    }
  }

  /// Takes as long without a hash as with one, so that nobody learns which names exist.
  func verifies(_ password: String, hash: String?) async throws(KennelError) -> Bool {
    let bytes = password.passwordBytes
    // Longer ones are nobody's; they would only keep a thread busy.
    guard bytes.count <= Accounts.passwordByteLimit else { return false }
    return try await lane.run { [decoy] in Sodium.verifies(bytes, hash: hash ?? decoy) && hash != nil }
  }

  func isOutdated(_ hash: String) -> Bool { Sodium.isOutdated(hash, cost) }

  func close() async { await lane.close() }

  private static let noMemory = KennelError(
    .busy, "There is not enough memory to hash a password. Try again in a moment.")
}
