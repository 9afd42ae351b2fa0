import Foundation
import KennelStorage
import Synchronization

/// The user accounts and their sessions.
package final class Accounts: Sendable {
  /// The security settings of accounts.
  package struct Configuration: Sendable {
    package var passwordCost = PasswordCost.interactive
    /// The maximum number of passwords that are hashed at the same time. Each one takes the memory given by
    /// `passwordCost`.
    package var maximumConcurrentHashes = 2
    /// The maximum number of hashes that wait.
    package var maximumWaitingHashes = 64
    /// How long verified credentials are accepted without hashing the password again.
    package var verificationLifetime = Duration.seconds(300)
    package var sessionLifetime = Duration.seconds(30 * 24 * 3600)
    /// The maximum number of sessions of one user. A new session ends the oldest one.
    package var maximumSessionsPerUser = 32

    package init() {}
  }

  /// The minimum length of a password in characters, and its maximum length in bytes.
  package static let minimumPasswordCharacterCount = 8
  package static let maximumPasswordByteCount = 1024

  let database: Database
  let posts: Posts
  let clock: KennelClock
  let configuration: Configuration
  let hasher: PasswordHasher
  let signIns: Mutex<SignIns>
  let recentSessions = Mutex(SessionCache(limit: 1000))
  /// The key under which verified credentials are hashed. It never leaves this process.
  let digestKey = Sodium.randomBytes(32)

  init(posts: Posts, clock: KennelClock, configuration: Configuration) throws(KennelError) {
    database = posts.database
    self.posts = posts
    self.clock = clock
    self.configuration = configuration
    signIns = Mutex(
      SignIns(coordinator: SignInCoordinator(verificationLifetime: configuration.verificationLifetime)))
    hasher = try PasswordHasher(
      cost: configuration.passwordCost, concurrency: configuration.maximumConcurrentHashes,
      maximumWaitingCount: configuration.maximumWaitingHashes)
  }

  func close() async { await hasher.close() }

  /// Adds a user.
  ///
  /// - Throws: `badName`, `badPassword` or `nameTaken`. The description explains what to do.
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
        throw KennelError(.nameTaken, "This name is already taken. Choose another name.")
      }
      return User(
        id: transaction.connection.lastInsertedID, name: name.text, role: role,
        created: Date(milliseconds: created.milliseconds))
    }
  }

  /// Returns all users, sorted by name.
  package func users() async throws(KennelError) -> [User] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT id, name, role, created FROM users ORDER BY folded LIMIT 10000", row: User.init(row:))
    }
  }

  /// Returns the user with a name, or nil if there is none.
  package func user(named name: String) async throws(KennelError) -> User? {
    guard let name = UserName(existing: name) else { return nil }
    return try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT id, name, role, created FROM users WHERE folded = ?", .text(name.folded), row: User.init(row:)
      )
    }
  }

  /// Changes a user's password and ends all of the user's sessions.
  package func setPassword(_ password: String, of user: User.ID) async throws(KennelError) {
    try Self.check(password)
    let hash = try await hasher.hash(password)
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      let count = try connection.run(
        "UPDATE users SET password = ? WHERE id = ?", .text(hash), .integer(user))
      guard count == 1 else { throw KennelError.noSuchUser }
      try connection.run("DELETE FROM sessions WHERE user = ?", .integer(user))
    }
    discardVerifiedCredentials(of: user)
  }

  /// - Throws: `badPassword` if the password breaks the rules.
  package static func check(_ password: String) throws(KennelError) {
    guard password.count >= minimumPasswordCharacterCount else {
      throw KennelError(
        .badPassword, "The password is too short. Use at least \(minimumPasswordCharacterCount) characters.")
    }
    guard password.passwordBytes.count <= maximumPasswordByteCount else {
      throw KennelError(
        .badPassword, "The password is too long. Use at most \(maximumPasswordByteCount) bytes.")
    }
  }
}
