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
    package var sessionLifetime = Duration.seconds(30 * 24 * 3600)
    /// How many sessions one user has at most; the oldest one ends for a new one.
    package var sessionsPerUser = 32

    package init() {}
  }

  /// The shortest password, in characters, and the longest, in bytes.
  package static let passwordCharacterMinimum = 8
  package static let passwordByteLimit = 1024

  let database: Database
  let clock: KennelClock
  let configuration: Configuration
  private let hasher: PasswordHasher
  private let limiter = Mutex(SignInLimiter())

  init(database: Database, clock: KennelClock, configuration: Configuration) throws(KennelError) {
    self.database = database
    self.clock = clock
    self.configuration = configuration
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
  }

  /// Looks whether a name and a password belong together; takes as long for a name that nobody has.
  ///
  /// - Parameter address: the client's IP address.
  /// - Throws: `wrongCredentials`, or `tooManyAttempts` with the seconds to wait.
  package func signIn(
    _ name: String, password: String, address: String
  ) async throws(KennelError) -> User {
    let userName = UserName(existing: name)
    // What cannot be a name shares one allowance: each such text being a key of its own would be a way around.
    let key = userName?.folded ?? ""
    let origin = ClientAddress.key(address)
    let uptime = clock.uptime()
    switch limiter.withLock({ $0.begin(name: key, address: origin, at: uptime) }) {
    case .allowed: break
    case .wait(let seconds):
      throw KennelError(
        .tooManyAttempts, "Too many attempts to sign in. Try again in \(seconds) seconds.",
        secondsToWait: seconds)
    }
    do throws(KennelError) {
      let user = try await verifiedUser(userName, password)
      limiter.withLock { $0.giveBack(name: key, address: origin) }
      return user
    } catch {
      if error.code != .wrongCredentials { limiter.withLock { $0.giveBack(name: key, address: origin) } }
      throw error
    }
  }

  private func verifiedUser(_ name: UserName?, _ password: String) async throws(KennelError) -> User {
    let folded = name?.folded ?? ""
    let found = try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT id, name, role, created, password FROM users WHERE folded = ?", .text(folded)
      ) { row throws(KennelError) in (user: try User(row: row), hash: row.text(4)) }
    }
    let isRight = try await hasher.verifies(password, hash: found?.hash)
    guard isRight, let found else {
      throw KennelError(.wrongCredentials, "The name or the password is wrong.")
    }
    if hasher.isOutdated(found.hash) {
      let hash = try await hasher.hash(password)
      try await database.write { transaction throws(KennelError) in
        // Unless the password was changed meanwhile.
        _ = try transaction.connection.run(
          "UPDATE users SET password = ? WHERE id = ? AND password = ?", .text(hash), .integer(found.user.id),
          .text(found.hash))
      }
    }
    return found.user
  }

  private static func check(_ password: String) throws(KennelError) {
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
