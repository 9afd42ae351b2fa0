import CKennelPage
import HTTPService
import KennelModel
import KennelStorage

/// A page or list. Together with the version of the content and the visitor, it determines the bytes of a response.
indirect enum PageResource: Sendable, Hashable {
  case grid(PageStart)
  case hearts(PageStart)
  case photo(Post.ID, after: Comment.ID)
  case posts(PageStart, limit: Int)
  case favourites(PageStart, limit: Int)
  case months
  case albums(isPage: Bool)
  case album(Album.ID, PageStart, limit: Int, isPage: Bool)
  case search(SearchQuery, PageStart, limit: Int)
  case searchPage(SearchQuery, PageStart)
  case person(User.ID, PageStart, limit: Int)
  case personPage(User.ID, PageStart)
  /// The feed of the viewer. It contains complete addresses.
  case feed(base: String, path: String)
  /// A page in a language.
  case localized(PageResource, Language)
  /// A page with a preview, which contains complete addresses.
  case previewed(PageResource, base: String)

  /// Whether finished bytes are kept. Those of searches would displace others, and are rarely requested again.
  var isKept: Bool {
    switch self {
    case .search, .searchPage: false
    case .previewed(let page, _), .localized(let page, _): page.isKept
    default: true
    }
  }

  /// A text that is different for each resource.
  fileprivate var text: String {
    switch self {
    case .grid(let start): "grid \(start.text)"
    case .hearts(let start): "hearts \(start.text)"
    case .photo(let post, let after): "photo \(post) \(after)"
    case .posts(let start, let limit): "posts \(start.text) \(limit)"
    case .favourites(let start, let limit): "favourites \(start.text) \(limit)"
    case .months: "months"
    case .albums(let isPage): "albums \(isPage)"
    case .album(let album, let start, let limit, let isPage):
      "album \(album) \(start.text) \(limit) \(isPage)"
    // An escaped text has no spaces, so it cannot be mistaken for another part.
    case .search(let query, let start, let limit):
      "search \(QueryText.escaped(query.text)) \(start.text) \(limit)"
    case .searchPage(let query, let start): "search-page \(QueryText.escaped(query.text)) \(start.text)"
    case .person(let id, let start, let limit): "person \(id) \(start.text) \(limit)"
    case .previewed(let page, let base): "previewed \(QueryText.escaped(base)) \(page.text)"
    case .localized(let page, let language): "in \(language.rawValue) \(page.text)"
    case .feed(let base, let path): "feed \(QueryText.escaped(base + path))"
    case .personPage(let id, let start): "person-page \(id) \(start.text)"
    }
  }
}

extension PageStart {
  /// A text that is different for each start.
  fileprivate var text: String {
    switch self {
    case .newest: "newest"
    case .after(let position): position.description
    case .afterPost(let id): "\(id)"
    case .month(let month): month.description
    }
  }
}

/// Makes the entity tags of pages and lists from what they depend on, so that a tag is known before the page is.
///
/// All processes of a kennel with the same program and settings make the same tags, also after a restart.
struct PageTags: Sendable {
  /// Stands for everything that a page shows and that does not change with the version of the content: the database, the program
  /// with its markup and files, and the title.
  private let key: [UInt8]

  /// - Parameters:
  ///   - key: a key that all processes of the kennel have, and no other kennel.
  ///   - title: the title on all pages.
  init(key: [UInt8], title: String) {
    self.key = Sodium.keyedHash(Self.program + Array(title.utf8), key: key)
  }

  /// What identifies the program. It is random if the linker gave it no identifier.
  private static let program: [UInt8] = {
    let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = buffer.baseAddress.map { kennel_build_id($0, buffer.count) } ?? 0
    }
    return bytes.isEmpty ? Sodium.randomBytes(32) : bytes
  }()

  /// - Parameter viewer: the user who has signed in. The page may contain the user's name, permissions and hearts.
  func tag(of resource: PageResource, at version: ContentVersion, for viewer: User?) -> PageTag {
    var text = "\(resource.text) \(version.lastEvent) \(version.lastMoment) \(version.removedUsers)"
    // The name is the last part, so it cannot be mistaken for another part.
    if let viewer { text += " \(viewer.id) \(viewer.role.rawValue) \(viewer.name)" }
    let hash = Sodium.keyedHash(Array(text.utf8), key: key)
    return PageTag(digest: Sodium.base64(Array(hash.prefix(12))))
  }
}

/// The tag of a page in all codings. A pure value.
struct PageTag: Sendable, Hashable {
  let digest: String

  /// Returns the tag of the page in a coding. It contains the length of the body, because a 304 repeats this length
  /// although there is no body (RFC 9110, section 8.6).
  func entityTag(length: Int64, _ coding: ContentCoding) -> EntityTag {
    let length = String(length, radix: 16)
    return EntityTag(coding == .identity ? "\(digest).\(length)" : "\(digest).\(length).\(coding.rawValue)")
  }

  /// Returns the length in a tag of this page in a coding. Returns nil for all other tags.
  func length(in tag: EntityTag, _ coding: ContentCoding) -> Int64? {
    let parts = tag.opaque.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0] == digest, parts[1].utf8.count <= 8,
      let length = Int64(parts[1], radix: 16), length >= 0,
      entityTag(length: length, coding).opaque == tag.opaque
    else { return nil }
    return length
  }
}
