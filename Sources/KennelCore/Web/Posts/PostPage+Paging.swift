extension PostPage {
  /// - Parameter more: posts of which one more than `limit` was asked for.
  init(_ more: [Post], limit: Int) {
    let posts = Array(more.prefix(limit))
    self.init(posts: posts, next: more.count > limit ? posts.last?.id : nil)
  }

  /// How many posts there are on a page when nothing is said.
  static let usualSize = 30
  static let sizes = 1...100
}
