import Foundation
import KennelStorage

/// A user account.
package struct User: Sendable, Hashable, Identifiable {
  /// The permissions of a user.
  package enum Role: String, Sendable, Hashable {
    /// May delete the posts and comments of all users.
    case owner
    /// May delete only the user's own posts and comments.
    case member
  }

  package var id: Int64
  package var name: String
  package var role: Role
  package var created: Date
}

extension User {
  /// Creates a user from the columns id, name, role and created.
  init(row: borrowing Row) throws(KennelError) {
    guard let role = Role(rawValue: row.text(2)) else {
      throw KennelError(.damaged, "A user has an unknown role. Restore a backup.")
    }
    self.init(
      id: row.integer(0), name: row.text(1), role: role, created: Date(milliseconds: row.integer(3)))
  }
}
