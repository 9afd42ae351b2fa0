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

  let database: any Records
  let posts: Posts
  let clock: KennelClock
  let configuration: Configuration
  let hasher: PasswordHasher
  let signIns: Mutex<SignIns>
  let recentSessions = Mutex(SessionCache(limit: 1000))
  /// The sessions whose use is being recorded, by the hashes of their tokens.
  let sessionsInUse = Mutex<Set<[UInt8]>>([])
  /// Limits how often a client may try links that do not exist.
  let linkLimiter: GuessLimiter
  /// The attempts that all processes count together.
  let allowances: SharedAllowances
  /// Limits how often a user may change the name, because each change brings the words of all the user's posts up to date.
  private let renamings = Mutex(
    AllowanceTable<User.ID>(AttemptAllowance(burst: 5, refill: .seconds(720)), capacity: 10_000))
  /// Whether there is known to be a user. The last owner is never removed, so this stays true.
  let hasKnownUsers = Atomic(false)
  /// The key under which verified credentials are hashed. It never leaves this process.
  let digestKey = Sodium.randomBytes(32)

  init(
    posts: Posts, allowances: SharedAllowances, clock: KennelClock, configuration: Configuration
  ) throws(KennelError) {
    database = posts.database
    self.allowances = allowances
    linkLimiter = GuessLimiter("account-link", shared: allowances, clock: clock)
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
      try Self.insert(name, role: role, password: hash, created: created, transaction.connection)
    }
  }

  static let nameTaken = KennelError(.nameTaken, "This name is already taken. Choose another name.")

  static func insert(
    _ name: UserName, role: User.Role, password hash: String, created: Date,
    _ connection: any RecordConnection
  ) throws(KennelError) -> User {
    let id: User.ID
    do throws(KennelError) {
      id = try connection.runReturningNumber(
        "INSERT INTO users (name, folded, role, password, created) VALUES (?, ?, ?, ?, ?) RETURNING id",
        .text(name.text), .text(name.folded), .text(role.rawValue), .text(hash),
        .integer(created.milliseconds))
    } catch  where error.isDuplicate {
      throw nameTaken
    }
    return User(
      id: id, name: name.text, role: role, created: Date(milliseconds: created.milliseconds))
  }

  /// Returns whether there is any account. As soon as there is one, this takes no query.
  package func hasUsers() async throws(KennelError) -> Bool {
    if hasKnownUsers.load(ordering: .relaxed) { return true }
    let found = try await database.read { connection throws(KennelError) in
      try connection.first("SELECT 1 FROM users LIMIT 1", row: { _ in true })
    }
    if found != nil { hasKnownUsers.store(true, ordering: .relaxed) }
    return found != nil
  }

  /// Returns a user, or nil if there is none with this id.
  package func user(_ id: User.ID) async throws(KennelError) -> User? {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT id, name, role, created, language, (SELECT version FROM user_pictures WHERE "user" = users.id)
        FROM users WHERE id = ?
        """, .integer(id), row: User.init(row:)
      )
    }
  }

  /// Changes the name of a user, which is also the name to sign in with.
  ///
  /// - Throws: `badName`, `nameTaken`, or `tooManyAttempts` after five changes in an hour, with the seconds to wait.
  package func rename(_ user: User.ID, to name: String) async throws(KennelError) {
    let name = try UserName(name)
    // The change is counted when it begins, so concurrent changes do not bypass the limit.
    let delay = renamings.withLock { [now = clock.uptime()] renamings in
      let delay = renamings.delay(user, at: now)
      if delay == .zero { renamings.take(user, at: now) }
      return delay
    }
    guard delay == .zero else {
      let seconds = delay.secondsRoundedUp
      throw KennelError(
        .tooManyAttempts,
        "The name was changed too often. Try again in \((seconds + 59) / 60) minutes.", secondsToWait: seconds
      )
    }
    var isChanged = false
    defer { if !isChanged { renamings.withLock { $0.refund(user) } } }
    isChanged = try await change(user, to: name)
    discardVerifiedCredentials(of: user)
  }

  /// Returns false if the user had this name already.
  private func change(_ user: User.ID, to name: UserName) async throws(KennelError) -> Bool {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      do throws(KennelError) {
        let count = try connection.run(
          "UPDATE users SET name = ?1, folded = ?2 WHERE id = ?3 AND name <> ?1", .text(name.text),
          .text(name.folded), .integer(user))
        guard count == 1 else { return false }
      } catch  where error.isDuplicate {
        throw Self.nameTaken
      }
      // Pages that show the name are out of date.
      try ContentVersion.noteChangedNames(connection)
      return true
    }
  }

  /// Changes the language in which a user reads the pages.
  ///
  /// - Parameter language: nil if the browser decides.
  package func setLanguage(_ language: Language?, of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      _ = try transaction.connection.run(
        "UPDATE users SET language = ? WHERE id = ?", language.map { .text($0.rawValue) } ?? .null,
        .integer(user))
    }
    discardVerifiedCredentials(of: user)
  }

  /// Returns all users, sorted by name.
  package func users() async throws(KennelError) -> [User] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        """
        SELECT id, name, role, created, language, (SELECT version FROM user_pictures WHERE "user" = users.id)
        FROM users ORDER BY folded LIMIT 10000
        """,
        row: User.init(row:))
    }
  }

  /// Returns the user with a name, or nil if there is none.
  package func user(named name: String) async throws(KennelError) -> User? {
    guard let name = UserName(existing: name) else { return nil }
    return try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT id, name, role, created, language, (SELECT version FROM user_pictures WHERE "user" = users.id)
        FROM users WHERE folded = ?
        """, .text(name.folded),
        row: User.init(row:)
      )
    }
  }

  /// Changes a user's password and ends the user's sessions, the feed, and links that set the password.
  package func setPassword(_ password: String, of user: User.ID) async throws(KennelError) {
    try Self.check(password)
    let hash = try await hasher.hash(password)
    try await database.write { transaction throws(KennelError) in
      try Self.setPassword(hash: hash, of: user, keeping: nil, transaction.connection)
    }
    discardVerifiedCredentials(of: user)
  }

  static func setPassword(
    hash: String, of user: User.ID, keeping kept: SessionToken?, _ connection: any RecordConnection
  ) throws(KennelError) {
    let count = try connection.run(
      "UPDATE users SET password = ? WHERE id = ?", .text(hash), .integer(user))
    guard count == 1 else { throw KennelError.noSuchUser }
    try endSessions(of: user, except: kept, connection)
    try connection.run(#"DELETE FROM feeds WHERE "user" = ?"#, .integer(user))
    try connection.run(#"DELETE FROM account_links WHERE "user" = ?"#, .integer(user))
  }

  /// Changes a user's password if the present one is right. It counts as an attempt to sign in.
  ///
  /// - Parameters:
  ///   - kept: the session that does not end.
  ///   - address: the client's IP address.
  /// - Throws: `badPassword`, `wrongCredentials` or `tooManyAttempts`.
  package func changePassword(
    of user: User, from present: String, to password: String, keeping kept: SessionToken?, address: String
  ) async throws(KennelError) {
    try Self.check(password)
    let proof = try await signIn(user.name, password: present, address: address)
    let hash = try await hasher.hash(password)
    try await database.write { transaction throws(KennelError) in
      // The password that was verified may have been replaced meanwhile.
      try Self.require(proof, transaction.connection)
      try Self.setPassword(hash: hash, of: user.id, keeping: kept, transaction.connection)
    }
    discardVerifiedCredentials(of: user.id)
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
