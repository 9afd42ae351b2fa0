/// A page of posts, the newest first, and the start of the next page.
package struct PostPage: Sendable, Hashable {
  package var posts: [Post]
  /// The `before` parameter of the next page, or nil if this is the last page.
  package var next: Post.ID?

  package init(posts: [Post], next: Post.ID? = nil) {
    self.posts = posts
    self.next = next
  }
}
