import Caches
import Foundation
import HTTPService
import KennelModel
import Synchronization

/// A finished page or list. Those of visitors who have not signed in are kept.
struct ReadyPage: Sendable {
  /// The version of the content that the page shows.
  var version: ContentVersion
  var body: Data
  /// Header fields that depend on the content.
  var fields: HTTPFields = [:]
  /// The body in the codings that clients have asked for, or nil if a coding does not make it smaller.
  fileprivate(set) var encoded: [ContentCoding: Data?] = [:]

  init(version: ContentVersion, body: Data, fields: HTTPFields = [:]) {
    self.version = version
    self.body = body
    self.fields = fields
  }

  fileprivate var cost: Int { encoded.values.reduce(body.count + 512) { $0 + ($1?.count ?? 0) } }
}

/// The finished pages that are kept, and when they may be sent. A pure value, driven by ``ReadyPages``.
struct ReadyPagesState: Sendable {
  private var pages: LRUCache<PageResource, ReadyPage>

  /// - Parameter limit: the maximum size of all pages in bytes.
  init(limit: Int) { pages = LRUCache(limit: limit) }

  var count: Int { pages.count }
  var cost: Int { pages.cost }

  /// Returns a page if it shows exactly this version of the content.
  mutating func page(_ resource: PageResource, at version: ContentVersion) -> ReadyPage? {
    guard let page = pages.value(for: resource), page.version == version else { return nil }
    return page
  }

  /// Keeps a page, unless it is older than the one that is kept. The page of a user is never kept.
  mutating func keep(_ page: ReadyPage, as resource: PageResource, viewer: User?) {
    guard viewer == nil else { return }
    if let known = pages.peek(resource), page.version.isOlder(than: known.version) { return }
    insert(page, as: resource)
  }

  /// Keeps the encoded body of a page that is still kept.
  mutating func keep(
    _ encoded: Data?, _ coding: ContentCoding, of resource: PageResource, at version: ContentVersion
  ) {
    guard var page = pages.peek(resource), page.version == version else { return }
    page.encoded[coding] = .some(encoded)
    insert(page, as: resource)
  }

  private mutating func insert(_ page: ReadyPage, as resource: PageResource) {
    _ = pages.insert(page, for: resource, cost: page.cost)
  }
}

extension ContentVersion {
  /// Returns whether this version was before another one. Both numbers only increase.
  fileprivate func isOlder(than other: ContentVersion) -> Bool {
    lastEvent < other.lastEvent || removedUsers < other.removedUsers
  }
}

/// Keeps finished pages of visitors who have not signed in, until something changes.
final class ReadyPages: Sendable {
  private let state: Mutex<ReadyPagesState>

  init(limit: Int = 8 << 20) { state = Mutex(ReadyPagesState(limit: limit)) }

  func page(_ resource: PageResource, at version: ContentVersion) -> ReadyPage? {
    state.withLock { $0.page(resource, at: version) }
  }

  func keep(_ page: ReadyPage, as resource: PageResource, viewer: User?) {
    state.withLock { $0.keep(page, as: resource, viewer: viewer) }
  }

  /// Returns the body of a page in a coding. It is compressed once.
  func body(_ page: ReadyPage, of resource: PageResource, _ coding: ContentCoding) -> (Data, ContentCoding) {
    guard coding != .identity else { return (page.body, .identity) }
    if let encoded = page.encoded[coding] {
      return encoded.map { ($0, coding) } ?? (page.body, .identity)
    }
    let encoded = coding.encoded(page.body, effort: .moderate)
    state.withLock { $0.keep(encoded, coding, of: resource, at: page.version) }
    return encoded.map { ($0, coding) } ?? (page.body, .identity)
  }
}
