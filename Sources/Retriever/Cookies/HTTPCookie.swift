#if !canImport(Darwin)
  import Foundation

  /// One cookie. It never changes: to change one, make another with the same name, domain and path.
  // Unchecked because a subclass may add what it likes. The invariant: the one stored property is a constant of a
  // Sendable type, and a subclass must keep to that.
  open class HTTPCookie: NSObject, @unchecked Sendable {
    /// Which cookies a storage takes in.
    public enum AcceptPolicy: UInt, Sendable {
      /// All of them.
      case always = 0
      /// None.
      case never = 1
      /// Those that come from the site of the main document.
      case onlyFromMainDocumentDomain = 2
    }

    let fields: CookieFields

    /// Makes a cookie from its properties.
    ///
    /// Needed are a name, a value, a path, and a domain or the URL it is from. There is no cookie without these, nor
    /// with a name, value, domain or path that has a semicolon or a control character in it, for such a cookie could
    /// not be sent.
    ///
    /// - Parameter properties: text for every key, or the natural type (a `Date` for
    ///   ``HTTPCookiePropertyKey/expires``, a `URL`, a `Bool`, a number).
    public init?(properties: [HTTPCookiePropertyKey: Any]) {
      guard let fields = CookieFields(properties) else { return nil }
      self.fields = fields
      super.init()
    }

    init(_ fields: CookieFields) {
      self.fields = fields
      super.init()
    }

    /// The dictionary that makes an equal cookie.
    open var properties: [HTTPCookiePropertyKey: Any]? { fields.properties }

    /// The name.
    open var name: String { fields.name }

    /// The value.
    open var value: String { fields.value }

    /// The host the cookie is for; with a dot before it, all hosts below it too.
    open var domain: String { fields.domain }

    /// The path: the cookie goes along with it and everything below it.
    open var path: String { fields.path }

    /// 0, or 1 for one made after RFC 2965.
    open var version: Int { fields.version }

    /// When the cookie is gone; `nil` for one that lasts as long as the session.
    open var expiresDate: Date? { fields.expiresDate }

    /// Whether the cookie lasts only as long as the session.
    open var isSessionOnly: Bool { fields.isSessionOnly }

    /// Whether the cookie is sent over TLS only.
    open var isSecure: Bool { fields.isSecure }

    /// Whether the cookie is for HTTP only, out of the reach of a page's scripts.
    open var isHTTPOnly: Bool { fields.isHTTPOnly }

    /// Whether the cookie goes along with requests that another site causes; `nil` when nothing was said.
    open var sameSitePolicy: HTTPCookieStringPolicy? { fields.sameSitePolicy }

    /// What the cookie is for, in words.
    open var comment: String? { fields.comment }

    /// Where more is said about what the cookie is for.
    open var commentURL: URL? { fields.commentURL }

    /// The ports the cookie is for; `nil` when it is for all.
    open var portList: [NSNumber]? {
      fields.ports.isEmpty ? nil : fields.ports.map { NSNumber(value: $0) }
    }

    /// Whether `object` is a cookie that says the same.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? HTTPCookie else { return false }
      return other === self || other.fields == fields
    }

    /// A hash that equal cookies share.
    open override var hash: Int { fields.hashValue }

    /// Name, domain and path. The value is left out: it may be secret.
    open override var description: String {
      "<\(type(of: self)) name: \(name), domain: \(domain), path: \(path), secure: \(isSecure), "
        + "expires: \(expiresDate?.description ?? "with the session")>"
    }
  }
#endif
