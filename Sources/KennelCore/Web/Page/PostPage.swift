/// Some posts, the newest first, and where the older ones begin.
package struct PostPage: Sendable, Hashable {
  package var posts: [Post]
  /// What to ask for as `before` to get those after them; nil when these are the last.
  package var next: Post.ID?

  package init(posts: [Post], next: Post.ID? = nil) {
    self.posts = posts
    self.next = next
  }
}
