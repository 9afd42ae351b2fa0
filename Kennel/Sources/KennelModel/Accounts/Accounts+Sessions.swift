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

  /// Starts a session for a user who has signed in.
  package func beginSession(of user: User.ID) async throws(KennelError) -> Session {
    let now = clock.now()
    let seconds = TimeInterval(configuration.sessionLifetime.components.seconds)
    let session = Session(token: SessionToken(), expires: now.addingTimeInterval(seconds))
    let limit = configuration.maximumSessionsPerUser
    return try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      try connection.run("DELETE FROM sessions WHERE expires <= ?", .integer(now.milliseconds))
      do throws(KennelError) {
        try connection.run(
          "INSERT INTO sessions (token, user, created, expires) VALUES (?, ?, ?, ?)",
          .blob(session.token.digest), .integer(user), .integer(now.milliseconds),
          .integer(session.expires.milliseconds))
      } catch  where error.isMissingReference {
        throw KennelError.noSuchUser
      }
      try connection.run(
        """
        DELETE FROM sessions WHERE token IN (
          SELECT token FROM sessions WHERE user = ?1 AND token <> ?2 ORDER BY created DESC LIMIT -1 OFFSET ?3)
        """, .integer(user), .blob(session.token.digest), .integer(Int64(max(limit, 1) - 1)))
      return session
    }
  }

  /// Returns the user of a session, or nil if the session has expired or does not exist.
  package func user(of token: SessionToken) async throws(KennelError) -> User? {
    let now = clock.now().milliseconds
    let digest = token.digest
    let mark = database.commitMark
    if let user = recentSessions.withLock({ $0.user(digest, at: mark, now: now) }) { return user }
    let found = try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT users.id, users.name, users.role, users.created, sessions.expires
        FROM sessions JOIN users ON users.id = sessions.user WHERE sessions.token = ? AND sessions.expires > ?
        """, .blob(digest), .integer(now)
      ) { row throws(KennelError) in SessionCache.Entry(user: try User(row: row), expires: row.integer(4)) }
    }
    guard let found else { return nil }
    recentSessions.withLock { $0.insert(found, digest, readAfter: mark) }
    return found.user
  }

  /// Ends a session. Does nothing if the session has already ended.
  package func endSession(_ token: SessionToken) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      _ = try transaction.connection.run("DELETE FROM sessions WHERE token = ?", .blob(token.digest))
    }
  }

  /// Ends all sessions of a user.
  package func endSessions(of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      _ = try transaction.connection.run("DELETE FROM sessions WHERE user = ?", .integer(user))
    }
  }
}
