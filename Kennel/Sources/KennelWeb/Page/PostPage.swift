import KennelModel

/// A page of posts, the newest first, and the start of the next page.
package struct PostPage: Sendable, Hashable {
  package var posts: [Post]
  /// The `before` parameter of the next page, or nil if this is the last page.
  package var next: PostPosition?

  package init(posts: [Post], next: PostPosition? = nil) {
    self.posts = posts
    self.next = next
  }

  /// - Parameter more: up to `limit` + 1 posts. An extra post means that there is a next page.
  init(_ more: [Post], limit: Int) {
    let posts = Array(more.prefix(limit))
    self.init(posts: posts, next: more.count > limit ? posts.last?.position : nil)
  }

  /// The default number of posts per page.
  static let defaultSize = 30
  static let sizes = 1...100
}

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
