import KennelStorage

/// Hashes and verifies passwords on separate threads. The number of concurrent hashes is limited because each one needs
/// a lot of memory.
struct PasswordHasher: Sendable {
  let cost: PasswordCost
  let workQueue: BlockingWorkQueue<Void>
  /// A hash that no password matches, used in place of the hash of a user who does not exist.
  let decoy: String

  init(cost: PasswordCost, concurrency: Int, maximumWaitingCount: Int) throws(KennelError) {
    try Sodium.begin()
    self.cost = cost
    workQueue = BlockingWorkQueue("passwords", slots: concurrency, maximumWaitingCount: maximumWaitingCount)
    let salt = Sodium.base64(Sodium.randomBytes(16), forURL: false)
    let hash = Sodium.base64(Sodium.randomBytes(32), forURL: false)
    decoy = "$argon2id$v=19$m=\(cost.memory >> 10),t=\(cost.passes),p=1$\(salt)$\(hash)"
  }

  func hash(_ password: String) async throws(KennelError) -> String {
    let bytes = password.passwordBytes
    return try await workQueue.run { [cost] () throws(KennelError) in
      guard let hash = Sodium.passwordHash(bytes, cost) else { throw Self.noMemory }
      return hash
    }
  }

  /// Verifies a password. The call takes the same time if `hash` is nil, so that its duration does not reveal which
  /// names exist.
  func verifies(_ password: String, hash: String?) async throws(KennelError) -> Bool {
    let bytes = password.passwordBytes
    // No user has a longer password. Hashing one would only keep a thread busy.
    guard bytes.count <= Accounts.maximumPasswordByteCount else { return false }
    return try await workQueue.run { [decoy] in Sodium.verifies(bytes, hash: hash ?? decoy) && hash != nil }
  }

  func isOutdated(_ hash: String) -> Bool { Sodium.isOutdated(hash, cost) }

  func close() async { await workQueue.close() }

  private static let noMemory = KennelError(
    .busy, "There is not enough memory to hash the password. Try again in a moment.")
}
