import Foundation

/// A link with which a person creates an account or sets a new password. It works once, and until it expires.
package struct AccountLink: Sendable, Hashable, Identifiable {
  /// What a link is for.
  package enum Purpose: Sendable, Hashable {
    /// Creating the first account of a kennel, which is an owner's.
    case firstOwner
    /// Creating an account with a role.
    case account(User.Role)
    /// Setting a new password for a user.
    case password(User.ID, name: String)
  }

  package var id: Int64
  package var purpose: Purpose
  /// The name of the owner who made the link, or nil if it was made at the terminal.
  package var creator: String?
  package var created: Date
  package var expires: Date
}

/// A link that was just made. Its token is known only now.
package struct NewAccountLink: Sendable, Hashable {
  package var token: SecretToken<AccountLink>
  package var link: AccountLink
}
