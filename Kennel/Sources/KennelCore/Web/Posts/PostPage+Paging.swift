extension PostPage {
  /// - Parameter more: up to `limit` + 1 posts. An extra post means that there is a next page.
  init(_ more: [Post], limit: Int) {
    let posts = Array(more.prefix(limit))
    self.init(posts: posts, next: more.count > limit ? posts.last?.id : nil)
  }

  /// The default number of posts per page.
  static let defaultSize = 30
  static let sizes = 1...100
}
