/// The place of a post in the order by the time when photos were taken. Posts with the same time are ordered by their ids.
///
/// As a text, it is a cursor for the next page. It stays valid when the post is deleted.
package struct PostPosition: Sendable, Hashable, CustomStringConvertible {
  let localMilliseconds: Int64
  let id: Post.ID

  /// The position before all posts: the newest ones follow.
  static let first = PostPosition(localMilliseconds: .max, id: .max)

  init(localMilliseconds: Int64, id: Post.ID) {
    self.localMilliseconds = localMilliseconds
    self.id = id
  }

  /// Reads a cursor. Only the exact text of a cursor is accepted, so that equal pages have equal addresses.
  package init?(_ text: String) {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let local = Int64(parts[0], radix: 36), let id = Int64(parts[1], radix: 36),
      id > 0
    else { return nil }
    self.init(localMilliseconds: local, id: id)
    guard description == text else { return nil }
  }

  /// The cursor. It consists of characters that an address contains unescaped, and is never a plain number.
  package var description: String { String(localMilliseconds, radix: 36) + "_" + String(id, radix: 36) }
}

/// Where a page of posts begins. The posts are ordered by the time when their photos were taken, the newest first.
package enum PageStart: Sendable, Hashable {
  case newest
  /// After a position.
  case after(PostPosition)
  /// After a post. If it does not exist, the page begins with the post that has the nearest lower id.
  case afterPost(Post.ID)
  /// With the newest post of a month, or of an earlier one. Earlier months follow.
  case month(Month)
}

extension Post {
  /// The place of the post in lists.
  package var position: PostPosition { PostPosition(localMilliseconds: taken.localMilliseconds, id: id) }
}
