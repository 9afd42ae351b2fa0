#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// The cookies of a storage and the rules of RFC 6265 and its revision about them, as a value: no lock, no clock.
  struct CookieJar: Sendable {
    /// Why a cookie was not taken in.
    enum Refusal: Error, Equatable {
      case tooLarge
      case publicSuffix
      case anotherHost
      case needsSecureConnection
      case brokenPrefixPromise
      case wouldHideSecureCookie
    }

    /// How much a jar holds. A site that holds more than its share makes room before the others do.
    struct Limits: Sendable {
      var total = 3000
      var perSite = 180
      var share = 50
      var bytesPerCookie = 4096
    }

    private struct Entry: Sendable {
      var cookie: HTTPCookie
      /// When this name, domain and path were first stored, as a number that only grows. A replacement keeps it.
      var order: UInt64
      /// When it was last stored or sent, as a number that only grows.
      var lastUse: UInt64
      var stored: Date
      var fields: CookieFields { cookie.fields }

      func isExpired(at now: Date) -> Bool { fields.expiresDate.map { $0 <= now } ?? false }

      func isReplaced(by other: CookieFields) -> Bool {
        fields.name == other.name && fields.domain == other.domain && fields.path == other.path
      }
    }

    private let limits: Limits
    /// By site, so that looking up costs what one site stores and not what all do.
    private var sites: [String: [Entry]] = [:]
    private var nextOrder: UInt64 = 0
    private var uses: UInt64 = 0
    private(set) var count = 0

    init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: Storing

    /// Takes `cookie` in, in place of one with the same name, domain and path. One that has expired only removes.
    ///
    /// - Parameter url: where it is from, or `nil` when the program itself sets it.
    mutating func insert(_ cookie: HTTPCookie, from url: URL?, now: Date) throws(Refusal) {
      let accepted = try accepted(cookie, from: url)
      let fields = accepted.fields
      let site = CookieHost(canonical: String(fields.bareDomain)).site
      var entries = sites[site] ?? []
      if let url, !Self.isSecure(url), entries.contains(where: { Self.hides(fields, $0.fields) }) {
        throw .wouldHideSecureCookie
      }

      let countBefore = entries.count
      entries.removeAll { $0.isExpired(at: now) }
      uses += 1
      var entry = Entry(cookie: accepted, order: nextOrder, lastUse: uses, stored: now)
      nextOrder += 1
      if let replaced = entries.firstIndex(where: { $0.isReplaced(by: fields) }) {
        entry.order = entries[replaced].order
        entries.remove(at: replaced)
      }
      if !entry.isExpired(at: now) { entries.append(entry) }
      // A plain connection never makes a Secure cookie go: its own could take that one's place then.
      let sparesSecure = url.map { !Self.isSecure($0) } ?? false
      if entries.count > limits.perSite {
        let victim =
          Self.leastRecentlyUsed(entries) { !$0.fields.isSecure }
          ?? (sparesSecure ? nil : Self.leastRecentlyUsed(entries) { _ in true })
        if let victim { entries.remove(at: victim) }
      }
      sites[site] = entries.isEmpty ? nil : entries
      count += entries.count - countBefore
      if count > limits.total { shrink(now: now, sparesSecure: sparesSecure) }
    }

    /// The cookie as it is to be stored.
    private func accepted(_ cookie: HTTPCookie, from url: URL?) throws(Refusal) -> HTTPCookie {
      var fields = cookie.fields
      guard fields.name.utf8.count + fields.value.utf8.count <= limits.bytesPerCookie,
        fields.path.utf8.count + fields.domain.utf8.count <= limits.bytesPerCookie
      else { throw .tooLarge }

      let host = url.flatMap(CookieHost.init)
      if !fields.isHostOnly, PublicSuffixList.isPublicSuffix(String(fields.bareDomain)) {
        // A host that is a public suffix itself may set cookies for itself alone.
        guard let host, host.name == fields.bareDomain else { throw .publicSuffix }
        fields.domain = host.name
      }
      if let url {
        guard let host,
          fields.isHostOnly ? host.name == fields.domain : host.matches(domain: fields.bareDomain)
        else { throw .anotherHost }
        if fields.isSecure, !Self.isSecure(url) { throw .needsSecureConnection }
      }
      let name = ASCII.lowercased(fields.name)
      if name.hasPrefix("__secure-") || name.hasPrefix("__host-"), !fields.isSecure {
        throw .brokenPrefixPromise
      }
      if name.hasPrefix("__host-"), !fields.isHostOnly || fields.path != "/" { throw .brokenPrefixPromise }
      return fields == cookie.fields ? cookie : HTTPCookie(fields)
    }

    /// Whether `new`, set without TLS, would be sent in place of, or before, a cookie that only TLS may set.
    private static func hides(_ new: CookieFields, _ old: CookieFields) -> Bool {
      guard old.isSecure, old.name == new.name, pathMatches(new.path, cookiePath: old.path) else {
        return false
      }
      return CookieHost(canonical: String(new.bareDomain)).matches(domain: old.bareDomain)
        || CookieHost(canonical: String(old.bareDomain)).matches(domain: new.bareDomain)
    }

    // MARK: Making room (RFC 6265bis, 5.7)

    /// Removes what has expired, then one cookie at a time: of sites that hold more than their share before others, and
    /// there those that are not Secure first; among equals the one that was not used for longest.
    private mutating func shrink(now: Date, sparesSecure: Bool) {
      removeAll { $0.isExpired(at: now) }
      let kinds = [(isCrowded: true, isSecure: false), (true, true), (false, false), (false, true)]
        .filter { !(sparesSecure && $0.isSecure) }
      while count > limits.total {
        guard let victim = victim(ofFirst: kinds) else { return }
        sites[victim.site]?.remove(at: victim.index)
        if sites[victim.site]?.isEmpty == true { sites[victim.site] = nil }
        count -= 1
      }
    }

    /// The least recently used cookie of the first kind of which there is any.
    private func victim(ofFirst kinds: [(isCrowded: Bool, isSecure: Bool)]) -> (site: String, index: Int)? {
      for kind in kinds {
        if let victim = victim(isCrowded: kind.isCrowded, isSecure: kind.isSecure) { return victim }
      }
      return nil
    }

    /// The least recently used cookie of one kind.
    ///
    /// - Parameter isCrowded: whether only sites that hold more than their share are looked at.
    private func victim(isCrowded: Bool, isSecure: Bool) -> (site: String, index: Int)? {
      var found: (site: String, index: Int, lastUse: UInt64)?
      for (site, entries) in sites where !isCrowded || entries.count > limits.share {
        guard
          let index = Self.leastRecentlyUsed(entries, where: { $0.fields.isSecure == isSecure })
        else { continue }
        let lastUse = entries[index].lastUse
        if found.map({ lastUse < $0.lastUse }) ?? true { found = (site, index, lastUse) }
      }
      return found.map { ($0.site, $0.index) }
    }

    private static func leastRecentlyUsed(_ entries: [Entry], where mayGo: (Entry) -> Bool) -> Int? {
      entries.indices.filter { mayGo(entries[$0]) }.min { entries[$0].lastUse < entries[$1].lastUse }
    }

    // MARK: Removing

    /// Removes the cookie with the name, domain and path of `cookie`. Gives whether there was one.
    mutating func remove(_ cookie: HTTPCookie) -> Bool {
      removeAll { $0.isReplaced(by: cookie.fields) }
    }

    /// Removes what was stored since `date`. Gives whether there was anything.
    mutating func removeCookies(since date: Date) -> Bool {
      removeAll { $0.stored >= date }
    }

    @discardableResult
    private mutating func removeAll(where shouldRemove: (Entry) -> Bool) -> Bool {
      let before = count
      sites = sites.compactMapValues { entries in
        let kept = entries.filter { !shouldRemove($0) }
        return kept.isEmpty ? nil : kept
      }
      count = sites.values.reduce(0) { $0 + $1.count }
      return count != before
    }

    // MARK: Reading

    /// Every cookie that has not expired, oldest first.
    func cookies(now: Date) -> [HTTPCookie] {
      sites.values.joined().filter { !$0.isExpired(at: now) }.sorted { $0.order < $1.order }.map(\.cookie)
    }

    /// What to send to `url`: cookies with longer paths first, then the older ones. That counts as a use of them.
    ///
    /// - Parameter mainDocumentURL: the document that causes the request. When it is of another site, cookies that
    ///   ask for the same site stay here.
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
