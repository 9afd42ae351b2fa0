import Foundation
import KennelStorage

/// A feed of the new photos for one user, which has a secret address.
package struct Feed: Sendable, Hashable {
  /// When the present address was made.
  package var created: Date
}

extension Accounts {
  /// Makes the address of a user's feed, or a new one instead of the present one. Its token is returned only here.
  ///
  /// - Parameter session: the session of the user that asks, or nil if the user has none.
  /// - Throws: `noSuchUser`, or `wrongCredentials` if the session has ended.
  package func makeFeed(
    for user: User.ID, session: SessionToken? = nil
  ) async throws(KennelError) -> SecretToken<Feed> {
    let token = SecretToken<Feed>()
    let now = clock.now()
    try await database.write { transaction throws(KennelError) -> Void in
      let connection = transaction.connection
      // A new password ends the sessions and the feed, so a session may not make one after that.
      if let session {
        let isThere = try connection.first(
          #"SELECT 1 FROM sessions WHERE token = ? AND "user" = ?"#, .blob(session.digest), .integer(user),
          row: { _ in true })
        guard isThere != nil else {
          throw KennelError(.wrongCredentials, "This requires an account. Sign in first.")
        }
      }
      do throws(KennelError) {
        try connection.run(
          """
          INSERT INTO feeds ("user", token, created) VALUES (?, ?, ?)
          ON CONFLICT ("user") DO UPDATE SET token = excluded.token, created = excluded.created
          """, .integer(user), .blob(token.digest), .integer(now.milliseconds))
      } catch  where error.isMissingReference {
        throw KennelError.noSuchUser
      }
    }
    return token
  }

  /// Ends a user's feed. Its address does not work any more with the next request.
  package func endFeed(of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) -> Void in
      try transaction.connection.run(#"DELETE FROM feeds WHERE "user" = ?"#, .integer(user))
    }
  }

  /// Returns a user's feed, or nil if there is none.
  package func feed(of user: User.ID) async throws(KennelError) -> Feed? {
    try await database.read { connection throws(KennelError) in
      try connection.first(#"SELECT created FROM feeds WHERE "user" = ?"#, .integer(user)) {
        Feed(created: Date(milliseconds: $0.integer(0)))
      }
    }
  }

  /// Returns the user whose feed has this token, or nil if there is none.
  package func reader(of token: SecretToken<Feed>) async throws(KennelError) -> User? {
    let digest = token.digest
    return try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT id, name, role, users.created, language, (SELECT version FROM user_pictures WHERE "user" = users.id)
        FROM users JOIN feeds f ON f.user = users.id WHERE f.token = ?
        """,
        .blob(digest), row: User.init(row:))
    }
  }
}
