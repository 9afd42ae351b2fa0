import Caches
import KennelModel
import Synchronization

/// Markup and JSON of posts that was made earlier. A pure value, driven by ``PostMarkup``.
///
/// An entry contains the complete post that it was made from. It is used only for an equal post, so it is never out of
/// date, and never shows the hearts of another user.
struct PostMarkupState: Sendable {
  enum Form: Sendable, Hashable {
    /// A tile that is likely visible before scrolling.
    case earlyTile(Language)
    case tile(Language)
    case json
  }

  private struct Key: Sendable, Hashable {
    var post: Post.ID
    var form: Form
    /// Users who gave the post a heart do not displace the entry of all others.
    var isFavourite: Bool
  }

  private struct Entry: Sendable {
    var post: Post
    var text: String
  }

  private var entries: LRUCache<Key, Entry>

  /// - Parameter limit: the maximum size in bytes.
  init(limit: Int) { entries = LRUCache(limit: limit) }

  var count: Int { entries.count }

  mutating func text(for post: Post, _ form: Form) -> String? {
    let key = Key(post: post.id, form: form, isFavourite: post.isFavourite)
    guard let entry = entries.value(for: key), entry.post == post else { return nil }
    return entry.text
  }

  mutating func insert(_ text: String, for post: Post, _ form: Form) {
    let cost = text.utf8.count + post.caption.utf8.count + 512
    let key = Key(post: post.id, form: form, isFavourite: post.isFavourite)
    _ = entries.insert(Entry(post: post, text: text), for: key, cost: cost)
  }
}

/// Makes the markup and the JSON of a post once, and keeps it until the post changes.
final class PostMarkup: Sendable {
  private let state: Mutex<PostMarkupState>

  init(limit: Int = 8 << 20) { state = Mutex(PostMarkupState(limit: limit)) }

  func known(for post: Post, _ form: PostMarkupState.Form) -> String? {
    state.withLock { $0.text(for: post, form) }
  }

  func keep(_ text: String, for post: Post, _ form: PostMarkupState.Form) {
    state.withLock { $0.insert(text, for: post, form) }
  }

  /// Returns the JSON of a post.
  func json(_ post: Post) -> String {
    if let known = known(for: post, .json) { return known }
    var json = JSONText()
    json.post(post)
    let text = String(decoding: json.bytes, as: UTF8.self)
    keep(text, for: post, .json)
    return text
  }
}
