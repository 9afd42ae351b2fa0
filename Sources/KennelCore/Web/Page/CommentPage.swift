/// Some comments on a post, the oldest first, and where the later ones begin.
package struct CommentPage: Sendable, Hashable {
  package var comments: [Comment]
  /// What to ask for as `after` to get those after them; nil when these are the last.
  package var next: Comment.ID?
  /// Whether there are none before them.
  package var isFirst: Bool

  package init(comments: [Comment], next: Comment.ID? = nil, isFirst: Bool = true) {
    self.comments = comments
    self.next = next
    self.isFirst = isFirst
  }

  /// - Parameter more: comments of which one more than `limit` was asked for.
  package init(_ more: [Comment], limit: Int, isFirst: Bool) {
    let comments = Array(more.prefix(limit))
    self.init(comments: comments, next: more.count > limit ? comments.last?.id : nil, isFirst: isFirst)
  }

  /// How many there are on a page.
  package static let usualSize = 100
}
