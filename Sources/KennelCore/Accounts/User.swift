import Foundation

/// Somebody who may sign in.
package struct User: Sendable, Hashable, Identifiable {
  /// What a user may do beyond their own.
  package enum Role: String, Sendable, Hashable {
    /// Deletes anybody's posts and comments.
    case owner
    /// Deletes their own.
    case member
  }

  package var id: Int64
  package var name: String
  package var role: Role
  package var created: Date
}
