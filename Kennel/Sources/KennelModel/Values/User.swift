import Foundation
import KennelStorage

/// A user account.
package struct User: Sendable, Hashable, Identifiable {
  /// The permissions of a user. Everyone with an account may look at the photos, give hearts, write comments, and delete
  /// what is their own.
  package enum Role: String, Sendable, Hashable, CaseIterable {
    /// May also share photos, delete the posts and comments of all users, and change accounts.
    case owner
    /// May also share photos.
    case member
    /// May not share photos.
    case viewer

    package var maySharePhotos: Bool { self != .viewer }
  }

  package var id: Int64
  package var name: String
  package var role: Role
  package var created: Date
  /// The language that the user has chosen for the pages, or nil if the browser decides.
  package var language: Language?
  /// The version of the user’s picture, or nil if there is none.
  package var picture: UserPicture.Version?
}

extension User {
  /// Creates a user from the columns id, name, role, created, language and version of the picture.
  init(row: borrowing RecordRow) throws(KennelError) {
    guard let role = Role(rawValue: row.text(2)) else {
      throw KennelError(.damaged, "A user has an unknown role. Restore a backup.")
    }
    self.init(
      id: row.integer(0), name: row.text(1), role: role, created: Date(milliseconds: row.integer(3)),
      language: Language(rawValue: row.text(4)), picture: row.isNull(5) ? nil : row.integer(5))
  }
}
