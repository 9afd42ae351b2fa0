import Foundation

/// Something that happened, as listeners are told of it.
package struct KennelEvent: Sendable, Hashable, Identifiable {
  /// What happened.
  package enum Kind: Sendable, Hashable {
    /// A new post.
    case posted
    /// How many favour a post now.
    case favourites(count: Int)
    /// A new comment, and how many the post has now.
    case commented(comment: Int64, count: Int)
    /// A comment is gone; how many the post has now.
    case commentDeleted(comment: Int64, count: Int)
    /// The post is gone.
    case deleted
  }

  /// What its favourites' change was to one user: nothing for others to hear.
  package struct Heart: Sendable, Hashable {
    package var user: User.ID
    /// Whether the post is now a favourite of theirs.
    package var isGiven: Bool

    package init(user: User.ID, isGiven: Bool) {
      self.user = user
      self.isGiven = isGiven
    }
  }

  /// Greater for each later event.
  package var id: Int64
  package var post: Int64
  package var kind: Kind
  package var date: Date
  /// Whose heart it was, for `favourites`; nil when they have no account any more.
  package var heart: Heart?
  /// What the post's photo was, for `deleted`.
  package var photo: PhotoHash?

  package init(
    id: Int64, post: Int64, kind: Kind, date: Date, heart: Heart? = nil, photo: PhotoHash? = nil
  ) {
    self.heart = heart
    self.photo = photo
    self.id = id
    self.post = post
    self.kind = kind
    self.date = date
  }
}
