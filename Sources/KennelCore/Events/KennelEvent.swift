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

  /// Greater for each later event.
  package var id: Int64
  package var post: Int64
  package var kind: Kind
  package var date: Date

  package init(id: Int64, post: Int64, kind: Kind, date: Date) {
    self.id = id
    self.post = post
    self.kind = kind
    self.date = date
  }
}
