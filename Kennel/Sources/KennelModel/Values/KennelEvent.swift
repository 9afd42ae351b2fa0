import Foundation
import KennelStorage

/// A change, in the form that listeners receive.
package struct KennelEvent: Sendable, Hashable, Identifiable {
  /// The kind of change.
  package enum Kind: Sendable, Hashable {
    /// A new post.
    case posted
    /// The favourites of a post have changed; `count` is the new number.
    case favourites(count: Int)
    /// A new comment; `count` is the new number of comments on the post.
    case commented(comment: Int64, count: Int)
    /// A comment was deleted; `count` is the new number of comments on the post.
    case commentDeleted(comment: Int64, count: Int)
    /// The caption of the post, or the time when its photo was taken, has changed.
    case edited
    /// The times of several photos were read from their files. The post is one of them.
    case dated
    /// The post was deleted.
    case deleted
    /// The photo of the post has another form, with or without metadata.
    case photoChanged
    /// An album, or which posts are in it, has changed. It may have been deleted. The event belongs to no post: its `post` is 0.
    case albumChanged(album: Int64)
  }

  /// The change of a post's favourites by one user. It is not visible to other users.
  package struct Heart: Sendable, Hashable {
    package var user: User.ID
    /// Whether the post is now a favourite of the user.
    package var isGiven: Bool

    package init(user: User.ID, isGiven: Bool) {
      self.user = user
      self.isGiven = isGiven
    }
  }

  /// The id of the event. Later events have greater ids.
  package var id: Int64
  package var post: Int64
  package var kind: Kind
  package var date: Date
  /// The user who gave or removed a heart, for `favourites`. It is nil if the account no longer exists.
  package var heart: Heart?
  /// The photo of the post, for `deleted`, or the one it had, for `photoChanged`.
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
