import Foundation
import Synchronization

/// Who may sign in, and who has.
package final class Accounts: Sendable {
  /// How accounts are kept safe.
  package struct Configuration: Sendable {
    package var passwordCost = PasswordCost.interactive
    /// How many passwords are hashed at once: each takes the memory of `passwordCost`.
    package var concurrentHashes = 2
    /// How many wait for that at most.
    package var waitingHashes = 64
    /// How long a name and a password that were right need not be hashed again.
    package var proofLifetime = Duration.seconds(300)
    package var sessionLifetime = Duration.seconds(30 * 24 * 3600)
    /// How many sessions one user has at most; the oldest one ends for a new one.
    package var sessionsPerUser = 32

    package init() {}
  }

  /// The shortest password, in characters, and the longest, in bytes.
  package static let passwordCharacterMinimum = 8
  package static let passwordByteLimit = 1024

  let database: Database
  let posts: Posts
  let clock: KennelClock
  let configuration: Configuration
  let hasher: PasswordHasher
  let signIns: Mutex<SignIns>
  /// What proven credentials are known by; nobody outside this process can compute it.
  let digestKey = Sodium.randomBytes(32)

  init(posts: Posts, clock: KennelClock, configuration: Configuration) throws(KennelError) {
    database = posts.database
    self.posts = posts
    self.clock = clock
    self.configuration = configuration
    signIns = Mutex(SignIns(desk: SignInDesk(proofLifetime: configuration.proofLifetime)))
    hasher = try PasswordHasher(
      cost: configuration.passwordCost, concurrency: configuration.concurrentHashes,
      waitingLimit: configuration.waitingHashes)
  }

  func close() async { await hasher.close() }

  /// Adds a user.
  ///
  /// - Throws: `badName`, `badPassword` or `nameTaken`, with what to do about it.
  package func addUser(
    _ name: String, password: String, role: User.Role = .member
  ) async throws(KennelError) -> User {
    let name = try UserName(name)
    try Self.check(password)
    let hash = try await hasher.hash(password)
    let created = clock.now()
    return try await database.write { transaction throws(KennelError) in
      do throws(KennelError) {
        try transaction.connection.run(
          "INSERT INTO users (name, folded, role, password, created) VALUES (?, ?, ?, ?, ?)",
          .text(name.text), .text(name.folded), .text(role.rawValue), .text(hash),
          .integer(created.milliseconds))
      } catch  where error.isDuplicate {
        throw KennelError(.nameTaken, "Somebody has that name already. Choose another one.")
      }
      return User(
        id: transaction.connection.lastInsertedID, name: name.text, role: role,
        created: Date(milliseconds: created.milliseconds))
    }
  }

  /// Everybody, by their names.
  package func users() async throws(KennelError) -> [User] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT id, name, role, created FROM users ORDER BY folded LIMIT 10000", row: User.init(row:))
    }
  }

  /// Nil when nobody has that name.
  package func user(named name: String) async throws(KennelError) -> User? {
    guard let name = UserName(existing: name) else { return nil }
    return try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT id, name, role, created FROM users WHERE folded = ?", .text(name.folded), row: User.init(row:)
      )
    }
  }

  /// Gives a user another password, and ends all of their sessions.
  package func setPassword(_ password: String, of user: User.ID) async throws(KennelError) {
    try Self.check(password)
    let hash = try await hasher.hash(password)
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      let count = try connection.run(
        "UPDATE users SET password = ? WHERE id = ?", .text(hash), .integer(user))
      guard count == 1 else { throw Self.noSuchUser }
      try connection.run("DELETE FROM sessions WHERE user = ?", .integer(user))
    }
    forgetProofs(of: user)
  }

  /// - Throws: `badPassword`, for one that nobody can have.
  package static func check(_ password: String) throws(KennelError) {
    guard password.count >= passwordCharacterMinimum else {
      throw KennelError(.badPassword, "A password has at least \(passwordCharacterMinimum) characters.")
    }
    guard password.passwordBytes.count <= passwordByteLimit else {
      throw KennelError(.badPassword, "A password has at most \(passwordByteLimit) bytes.")
    }
  }

  static let noSuchUser = KennelError(.noSuchUser, "There is no such user.")
}

extension User {
  /// From id, name, role and created.
  init(row: borrowing Row) throws(KennelError) {
    guard let role = Role(rawValue: row.text(2)) else {
      throw KennelError(.damaged, "There is a user of an unknown role. Put a backup in place.")
    }
    self.init(
      id: row.integer(0), name: row.text(1), role: role, created: Date(milliseconds: row.integer(3)))
  }
}
