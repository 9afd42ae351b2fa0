#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// The cookies of a storage and the rules of RFC 6265 and its revision, as a value without a lock or a clock.
struct CookieJar: Sendable {
  /// The reason why a cookie was refused.
  enum Refusal: Error, Equatable {
    case tooLarge
    case publicSuffix
    case anotherHost
    case needsSecureConnection
    case invalidPrefix
    case wouldShadowSecureCookie
  }

  /// The limits of a jar. Sites that exceed their share lose cookies before others do.
  struct Limits: Sendable {
    var total = 3000
    var perSite = 180
    var share = 50
    var bytesPerCookie = 4096
  }

  private struct Entry: Sendable {
    var cookie: HTTPCookie
    /// The time when this name, domain and path were first stored, as an increasing number. A replacement keeps it.
    var order: UInt64
    /// The time when the cookie was last stored or sent, as an increasing number.
    var lastUse: UInt64
    var stored: Date
    /// When this name, domain and path were first stored. A replacement keeps it.
    var created: Date
    var fields: CookieFields { cookie.fields }

    func isExpired(at now: Date) -> Bool { fields.expiresDate.map { $0 <= now } ?? false }

    func isReplaced(by other: CookieFields) -> Bool {
      fields.name == other.name && fields.domain == other.domain && fields.path == other.path
    }
  }

  private let limits: Limits
  /// The cookies by site, so that a lookup only examines the cookies of one site.
  private var sites: [String: [Entry]] = [:]
  private var nextOrder: UInt64 = 0
  private var uses: UInt64 = 0
  private(set) var count = 0
  /// The earliest date at which a cookie can expire, so that a full jar does not search for expired cookies in vain.
  private var earliestExpiry = Date.distantFuture
  /// The queues of `Kind.all`; `nil` until a cookie has to be evicted.
  private var queues: [CookieEvictionQueue]?

  /// The cookies that were stored, replaced or removed, for the owner's file; nil if there is none.
  private var changes: [HTTPCookie]?

  init(limits: Limits = Limits(), recordsChanges: Bool = false) {
    self.limits = limits
    if recordsChanges { changes = [] }
  }

  /// Returns the cookies, as they were stored, that have changed since the last call. Some may be there more than once.
  mutating func takeChanges() -> [HTTPCookie] {
    guard let taken = changes else { return [] }
    changes = []
    return taken
  }

  // MARK: Storing

  /// Stores `cookie` and replaces one with the same name, domain and path. An expired cookie only removes that one.
  ///
  /// - Parameters:
  ///   - url: the URL that the cookie is from, or `nil` if the program sets it.
  ///   - created: when the cookie was first stored, if it is from a file.
  mutating func insert(
    _ cookie: HTTPCookie, from url: URL?, created: Date? = nil, now: Date
  ) throws(Refusal) {
    let accepted = try accepted(cookie, from: url)
    let fields = accepted.fields
    let site = CookieHost(canonical: String(fields.bareDomain)).site
    var entries = sites[site] ?? []
    if let url, !Self.isSecure(url), entries.contains(where: { Self.shadows(fields, $0.fields) }) {
      throw .wouldShadowSecureCookie
    }

    let countBefore = entries.count
    entries.removeAll { $0.isExpired(at: now) }
    uses += 1
    var entry = Entry(cookie: accepted, order: nextOrder, lastUse: uses, stored: now, created: created ?? now)
    nextOrder += 1
    if let replaced = entries.firstIndex(where: { $0.isReplaced(by: fields) }) {
      (entry.order, entry.created) = (entries[replaced].order, entries[replaced].created)
      entries.remove(at: replaced)
    }
    if !entry.isExpired(at: now) { entries.append(entry) }
    changes?.append(accepted)
    // An unencrypted connection never evicts a Secure cookie, because it could then replace that cookie.
    let sparesSecure = url.map { !Self.isSecure($0) } ?? false
    if entries.count > limits.perSite {
      let candidate =
        Self.leastRecentlyUsed(entries) { !$0.fields.isSecure }
        ?? (sparesSecure ? nil : Self.leastRecentlyUsed(entries) { _ in true })
      if let candidate {
        let evicted = entries.remove(at: candidate)
        changes?.append(evicted.cookie)
      }
    }
    sites[site] = entries.isEmpty ? nil : entries
    count += entries.count - countBefore
    earliestExpiry = min(earliestExpiry, fields.expiresDate ?? .distantFuture)
    enqueue(site, count: entries.count, isSecure: fields.isSecure)
    if count > limits.total { shrink(now: now, sparesSecure: sparesSecure) }
  }

  /// Returns the cookie in the form in which it is stored.
  private func accepted(_ cookie: HTTPCookie, from url: URL?) throws(Refusal) -> HTTPCookie {
    var fields = cookie.fields
    guard fields.name.utf8.count + fields.value.utf8.count <= limits.bytesPerCookie,
      fields.path.utf8.count + fields.domain.utf8.count <= limits.bytesPerCookie
    else { throw .tooLarge }

    let host = url.flatMap(CookieHost.init)
    if !fields.isHostOnly, PublicSuffixList.isPublicSuffix(String(fields.bareDomain)) {
      // A host that is a public suffix may set cookies for itself only.
      guard let host, host.name == fields.bareDomain else { throw .publicSuffix }
      fields.domain = host.name
    }
    if let url {
      guard let host,
        fields.isHostOnly ? host.name == fields.domain : host.matches(domain: fields.bareDomain)
      else { throw .anotherHost }
      if fields.isSecure, !Self.isSecure(url) { throw .needsSecureConnection }
    }
    // Compares bytes, because a hyphen with a combining accent is a different Character. Spaces and tabs are removed
    // for a cookie of the program: a server removes them.
    let name = ASCII.lowercased(ASCII.trimmed(fields.name)).utf8
    let isForHost = name.starts(with: "__host-".utf8)
    if isForHost || name.starts(with: "__secure-".utf8), !fields.isSecure { throw .invalidPrefix }
    if isForHost, !fields.isHostOnly || fields.path != "/" { throw .invalidPrefix }
    return fields == cookie.fields ? cookie : HTTPCookie(fields)
  }

  /// Whether `new`, set without TLS, would be sent instead of, or before, a cookie that only TLS may set.
  private static func shadows(_ new: CookieFields, _ old: CookieFields) -> Bool {
    guard old.isSecure, old.name == new.name, pathMatches(new.path, cookiePath: old.path) else {
      return false
    }
    return CookieHost(canonical: String(new.bareDomain)).matches(domain: old.bareDomain)
      || CookieHost(canonical: String(old.bareDomain)).matches(domain: new.bareDomain)
  }

  // MARK: Eviction (RFC 6265bis, 5.7)

  /// Cookies that are evicted before those of the next kind.
  private struct Kind: Sendable {
    let isCrowded: Bool
    let isSecure: Bool

    static let all = [
      Kind(isCrowded: true, isSecure: false), Kind(isCrowded: true, isSecure: true),
      Kind(isCrowded: false, isSecure: false), Kind(isCrowded: false, isSecure: true),
    ]
  }

  /// Removes expired cookies, then one cookie at a time. Sites that exceed their share come first, and within these,
  /// cookies that are not Secure. Among equal ones, the least recently used cookie comes first.
  private mutating func shrink(now: Date, sparesSecure: Bool) {
    if earliestExpiry <= now {
      removeAll { $0.isExpired(at: now) }
      earliestExpiry = sites.values.joined().compactMap(\.fields.expiresDate).min() ?? .distantFuture
    }
    while count > limits.total {
      guard let candidate = evictionCandidate(sparesSecure: sparesSecure) else { return }
      if let removed = sites[candidate.site]?.remove(at: candidate.index) { changes?.append(removed.cookie) }
      if sites[candidate.site]?.isEmpty == true { sites[candidate.site] = nil }
      count -= 1
    }
  }

  /// Returns the least recently used cookie of the first kind that exists.
  private mutating func evictionCandidate(sparesSecure: Bool) -> (site: String, index: Int)? {
    var queues = self.queues.take() ?? makeQueues()
    defer { self.queues = queues }
    for (index, kind) in Kind.all.enumerated() where !(sparesSecure && kind.isSecure) {
      while let first = queues[index].first {
        guard let entries = sites[first.site], !kind.isCrowded || entries.count > limits.share,
          let candidate = Self.leastRecentlyUsed(
            entries, where: { $0.fields.isSecure == kind.isSecure })
        else {
          queues[index].removeFirst()
          continue
        }
        if entries[candidate].lastUse == first.bound { return (first.site, candidate) }
        queues[index].raiseFirst(to: entries[candidate].lastUse)
      }
    }
    return nil
  }

  private func makeQueues() -> [CookieEvictionQueue] {
    var queue = CookieEvictionQueue()
    for site in sites.keys { queue.insert(site) }
    return Kind.all.map { _ in queue }
  }

  /// Adds a site to the queues after a cookie was stored. One that does not belong there is removed when it is first.
  private mutating func enqueue(_ site: String, count: Int, isSecure: Bool) {
    guard count > 0, var queues = self.queues.take() else { return }
    for (index, kind) in Kind.all.enumerated()
    where kind.isCrowded ? count > limits.share : kind.isSecure == isSecure {
      queues[index].insert(site)
    }
    // Sites that have lost their cookies remain until they come first. There must not be too many.
    if queues.allSatisfy({ $0.count <= 2 * max(limits.total, 32) }) { self.queues = queues }
  }

  private static func leastRecentlyUsed(_ entries: [Entry], where isEvictable: (Entry) -> Bool) -> Int? {
    entries.indices.filter { isEvictable(entries[$0]) }.min { entries[$0].lastUse < entries[$1].lastUse }
  }

  // MARK: Removing

  /// Removes the cookie with the name, domain and path of `cookie`. Returns whether there was one.
  mutating func remove(_ cookie: HTTPCookie) -> Bool {
    removeAll { $0.isReplaced(by: cookie.fields) }
  }

  /// Removes the cookies that were stored since `date`. Returns whether there were any.
  mutating func removeCookies(since date: Date) -> Bool {
    removeAll { $0.stored >= date }
  }

  @discardableResult
  private mutating func removeAll(where shouldRemove: (Entry) -> Bool) -> Bool {
    let before = count
    changes?.append(contentsOf: sites.values.joined().filter(shouldRemove).map(\.cookie))
    sites = sites.compactMapValues { entries in
      let kept = entries.filter { !shouldRemove($0) }
      return kept.isEmpty ? nil : kept
    }
    count = sites.values.reduce(0) { $0 + $1.count }
    return count != before
  }

  // MARK: Reading

  /// All cookies that have not expired, oldest first.
  func cookies(now: Date) -> [HTTPCookie] {
    sites.values.joined().filter { !$0.isExpired(at: now) }.sorted { $0.order < $1.order }.map(\.cookie)
  }

  /// The record of the stored cookie with the name, domain and path of `cookie`; nil if it ends with the session.
  func record(like cookie: HTTPCookie) -> CookieRecord? {
    let site = CookieHost(canonical: String(cookie.fields.bareDomain)).site
    return sites[site]?.first { $0.isReplaced(by: cookie.fields) }.flatMap {
      CookieRecord($0.fields, stored: $0.stored, created: $0.created)
    }
  }

  /// Returns the cookies to send to `url`: those with longer paths first, then older ones. It marks them as used.
  ///
  /// - Parameter mainDocumentURL: the document that caused the request. If it is from another site, SameSite cookies
  ///   are not returned.
  mutating func cookies(for url: URL, mainDocumentURL: URL?, now: Date) -> [HTTPCookie] {
    guard let host = CookieHost(url) else { return [] }
    let site = host.site
    guard let place = sites.index(forKey: site) else { return [] }
    uses += 1
    let isSecure = Self.isSecure(url)
    let path = url.path(percentEncoded: true)
    let isCrossSite = mainDocumentURL.flatMap(CookieHost.init).map { $0.site != site } ?? false
    var matching: [Entry] = []
    for index in sites.values[place].indices {
      let entry = sites.values[place][index]
      let fields = entry.fields
      guard
        !entry.isExpired(at: now) && (isSecure || !fields.isSecure)
          && !(isCrossSite && fields.sameSitePolicy != nil)
          && (fields.isHostOnly ? host.name == fields.domain : host.matches(domain: fields.bareDomain))
          && Self.pathMatches(path.isEmpty ? "/" : path, cookiePath: fields.path)
      else { continue }
      matching.append(entry)
      sites.values[place][index].lastUse = uses
    }
    return matching.sorted { left, right in
      let lengths = (left.fields.path.utf8.count, right.fields.path.utf8.count)
      return lengths.0 == lengths.1 ? left.order < right.order : lengths.0 > lengths.1
    }.map(\.cookie)
  }

  /// Whether a document at `mainDocumentURL` and a response from `url` belong to one site.
  static func isSameSite(_ url: URL, _ mainDocumentURL: URL) -> Bool {
    guard let host = CookieHost(url), let main = CookieHost(mainDocumentURL) else { return false }
    return host.site == main.site
  }

  /// RFC 6265, 5.1.4: the same path, or one below it.
  static func pathMatches(_ path: String, cookiePath: String) -> Bool {
    guard path.hasPrefix(cookiePath) else { return false }
    return path.utf8.count == cookiePath.utf8.count || cookiePath.hasSuffix("/")
      || path.utf8.dropFirst(cookiePath.utf8.count).first == UInt8(ascii: "/")
  }

  private static func isSecure(_ url: URL) -> Bool {
    url.scheme.map { ASCII.equalIgnoringCase($0, "https") } ?? false
  }
}
#endif
