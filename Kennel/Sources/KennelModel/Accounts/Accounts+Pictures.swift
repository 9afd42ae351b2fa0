import Foundation
import KennelStorage

extension Accounts {
  /// Sets the picture of a user. All pages show it from now on.
  ///
  /// - Parameter jpeg: a small JPEG without metadata, from ``PhotoInspector/portrait(fileAt:)``.
  /// - Throws: `noSuchUser`.
  package func setPicture(_ jpeg: Data, of user: User.ID) async throws(KennelError) {
    // A random number, because a restored backup may have given the next number to another picture already.
    let version = Int64.random(in: 1...1 << 53)
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      do throws(KennelError) {
        try connection.run(
          """
          INSERT INTO user_pictures ("user", version, picture) VALUES (?, ?, ?)
          ON CONFLICT ("user") DO UPDATE SET version = excluded.version, picture = excluded.picture
          """, .integer(user), .integer(version), .blob(Array(jpeg)))
      } catch  where error.isMissingReference {
        throw KennelError.noSuchUser
      }
      try ContentVersion.noteChangedNames(connection)
    }
    discardVerifiedCredentials(of: user)
  }

  /// Removes the picture of a user, if there is one.
  package func removePicture(of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      let count = try connection.run(#"DELETE FROM user_pictures WHERE "user" = ?"#, .integer(user))
      if count > 0 { try ContentVersion.noteChangedNames(connection) }
    }
    discardVerifiedCredentials(of: user)
  }

  /// Returns the picture of a user, or nil if there is none, or if the viewer sees this user on no page: photos and comments
  /// make a person visible to others, and owners see everyone.
  package func picture(of user: User.ID, for viewer: User.ID?) async throws(KennelError) -> UserPicture? {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT version, picture FROM user_pictures WHERE "user" = ?1 AND ("user" = ?2
          OR EXISTS (SELECT 1 FROM users WHERE id = ?2 AND role = 'owner')
          OR EXISTS (SELECT 1 FROM posts WHERE author = ?1 AND peer IS NULL AND +binned IS NULL)
          OR EXISTS (SELECT 1 FROM comments c JOIN posts p ON p.id = c.post
            WHERE c.author = ?1 AND +p.binned IS NULL))
        """, .integer(user), .integer(viewer ?? 0)
      ) { UserPicture(version: $0.integer(0), jpeg: Data($0.blob(1))) }
    }
  }
}
