/// A page of comments on a post, the oldest first, and the start of the next page.
package struct CommentPage: Sendable, Hashable {
  package var comments: [Comment]
  /// The `after` parameter of the next page, or nil if this is the last page.
  package var next: Comment.ID?
  /// Whether this is the first page.
  package var isFirst: Bool

  package init(comments: [Comment], next: Comment.ID? = nil, isFirst: Bool = true) {
    self.comments = comments
    self.next = next
    self.isFirst = isFirst
  }

  /// - Parameter more: up to `limit` + 1 comments. An extra comment means that there is a next page.
  package init(_ more: [Comment], limit: Int, isFirst: Bool) {
    let comments = Array(more.prefix(limit))
    self.init(comments: comments, next: more.count > limit ? comments.last?.id : nil, isFirst: isFirst)
  }

  /// The number of comments per page.
  package static let defaultSize = 100
}
