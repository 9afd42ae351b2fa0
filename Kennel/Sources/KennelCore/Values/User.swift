import Foundation

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
