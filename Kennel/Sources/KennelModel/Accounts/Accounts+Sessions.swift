import Foundation
import KennelStorage

/// A token that identifies a session.
package typealias SessionToken = SecretToken<Accounts.Session>

extension Accounts {
  /// A session and the date on which it expires.
  package struct Session: Sendable, Hashable {
    package var token: SessionToken
    package var expires: Date
  }

  /// The client that a session began with, as its user sees it in a list.
  package struct SessionClient: Sendable, Hashable {
    /// The kind of device in words, such as “Firefox on Android”.
    package var device: String
    package var address: String

    package init(device: String = "", address: String = "") {
      self.device = device
      self.address = address
    }
  }

  /// A session of a user, without its token.
  package struct SessionDescription: Sendable, Hashable, Identifiable {
    /// A random number, which is not a secret.
    package var id: Int64
    package var client: SessionClient
    package var created: Date
    /// The date of the latest request, or up to ``Accounts/useInterval`` before it.
    package var used: Date
    /// Whether it is the session that asks.
    package var isCurrent: Bool
  }

  /// The minimum time between two recorded uses of a session.
  static let useInterval = Duration.seconds(300)

  /// Starts a session for a user who has signed in.
  ///
  /// - Throws: `wrongCredentials` if the password has changed since the sign-in, or the user was removed.
  package func beginSession(
    with proof: SignInProof, client: SessionClient = SessionClient()
  ) async throws(KennelError) -> Session {
    let now = clock.now()
    let seconds = TimeInterval(configuration.sessionLifetime.components.seconds)
    let session = Session(token: SessionToken(), expires: now.addingTimeInterval(seconds))
    let limit = configuration.maximumSessionsPerUser
    let user = proof.user.id
    return try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      // A new password ends all sessions that began before it, so none may begin with the old one after that.
      try Self.require(proof, connection)
      try connection.run("DELETE FROM sessions WHERE expires <= ?", .integer(now.milliseconds))
      try connection.run(
        """
        INSERT INTO sessions (token, "user", created, expires, number, device, address, used)
        VALUES (?1, ?2, ?3, ?4, ?7, ?5, ?6, ?3)
        """,
        .blob(session.token.digest), .integer(user), .integer(now.milliseconds),
        .integer(session.expires.milliseconds), .text(client.device), .text(client.address),
        .integer(.random(in: 1...1 << 48)))
      try connection.run(
        """
        DELETE FROM sessions WHERE token IN (
          SELECT token FROM sessions WHERE "user" = ?1 AND token <> ?2 ORDER BY created DESC LIMIT 9223372036854775807 OFFSET ?3)
        """, .integer(user), .blob(session.token.digest), .integer(Int64(max(limit, 1) - 1)))
      return session
    }
  }

  /// Returns the user of a session, or nil if the session has expired or does not exist.
  ///
  /// - Parameter address: the address of the client that uses the session now, or nil if this is not a use.
  package func user(of token: SessionToken, address: String? = nil) async throws(KennelError) -> User? {
    let now = clock.now().milliseconds
    let digest = token.digest
    let mark = database.commitMark
    if let entry = recentSessions.withLock({ $0.entry(digest, at: mark, now: now) }) {
      if let address { recordUse(of: digest, last: entry.used, now: now, address: address) }
      return entry.user
    }
    let found = try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT users.id, users.name, users.role, users.created, users.language,
          (SELECT version FROM user_pictures WHERE "user" = users.id), sessions.expires, sessions.used
        FROM sessions JOIN users ON users.id = sessions.user WHERE sessions.token = ? AND sessions.expires > ?
        """, .blob(digest), .integer(now)
      ) { row throws(KennelError) in
        SessionCache.Entry(user: try User(row: row), expires: row.integer(6), used: row.integer(7))
      }
    }
    guard let found else { return nil }
    recentSessions.withLock { $0.insert(found, digest, readAfter: mark) }
    if let address { recordUse(of: digest, last: found.used, now: now, address: address) }
    return found.user
  }

  /// Records the use of a session, if the last one was recorded long enough ago. Does not wait for the disk: it is not
  /// important enough to delay a response, or to fail one.
  private func recordUse(of digest: [UInt8], last: Int64, now: Int64, address: String) {
    let earliest = now - Self.useInterval.components.seconds * 1000
    guard last <= earliest, sessionsInUse.withLock({ $0.insert(digest).inserted }) else { return }
    Task { [self] in
      _ = try? await database.write { transaction throws(KennelError) in
        try transaction.connection.run(
          "UPDATE sessions SET used = ?, address = ? WHERE token = ? AND used <= ?", .integer(now),
          .text(address), .blob(digest), .integer(earliest))
      }
      sessionsInUse.withLock { _ = $0.remove(digest) }
    }
  }

  /// Returns the sessions of a user that have not expired, the latest use first.
  ///
  /// - Parameter current: the session that asks.
  package func sessions(
    of user: User.ID, current: SessionToken?
  ) async throws(KennelError) -> [SessionDescription] {
    let now = clock.now().milliseconds
    let digest = current?.digest ?? []
    return try await database.read { connection throws(KennelError) in
      try connection.rows(
        """
        SELECT number, device, address, created, used, token FROM sessions
        WHERE "user" = ? AND expires > ? ORDER BY used DESC, created DESC
        """, .integer(user), .integer(now)
      ) { row in
        SessionDescription(
          id: row.integer(0), client: SessionClient(device: row.text(1), address: row.text(2)),
          created: Date(milliseconds: row.integer(3)), used: Date(milliseconds: row.integer(4)),
          isCurrent: row.blob(5) == digest)
      }
    }
  }

  /// Ends a session. Does nothing if the session has already ended.
  package func endSession(_ token: SessionToken) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      _ = try transaction.connection.run("DELETE FROM sessions WHERE token = ?", .blob(token.digest))
    }
  }

  /// Ends a session of a user. Does nothing if the session has already ended, or is another user's.
  package func endSession(_ id: SessionDescription.ID, of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      _ = try transaction.connection.run(
        #"DELETE FROM sessions WHERE number = ? AND "user" = ?"#, .integer(id), .integer(user))
    }
  }

  /// Ends all sessions of a user.
  ///
  /// - Parameter kept: a session that does not end, or nil to end all.
  package func endSessions(of user: User.ID, except kept: SessionToken? = nil) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      try Self.endSessions(of: user, except: kept, transaction.connection)
    }
  }

  static func endSessions(
    of user: User.ID, except kept: SessionToken?, _ connection: any RecordConnection
  ) throws(KennelError) {
    try connection.run(
      #"DELETE FROM sessions WHERE "user" = ? AND token <> ?"#, .integer(user), .blob(kept?.digest ?? []))
  }
}
