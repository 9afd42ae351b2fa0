#if !canImport(Darwin)
import Foundation

/// A cookie. It is immutable: to change a cookie, create another one with the same name, domain and path.
// Unchecked because a subclass may add properties. The invariant: the only stored property is a constant of a
// Sendable type. Subclasses must follow the same rule.
open class HTTPCookie: NSObject, @unchecked Sendable {
  /// The cookies that a storage accepts.
  public enum AcceptPolicy: UInt, Sendable {
    /// All cookies.
    case always = 0
    /// No cookies.
    case never = 1
    /// Cookies from the site of the main document.
    case onlyFromMainDocumentDomain = 2
  }

  let fields: CookieFields

  /// Creates a cookie from its properties.
  ///
  /// A name, a value, a path, and a domain or an origin URL are required. The initializer returns nil if one of these
  /// is missing. It also returns nil if the name, value, domain or path contains a semicolon or a control character,
  /// because such a cookie cannot be sent.
  ///
  /// - Parameter properties: for every key, text or a value of its natural type (a `Date` for
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

  /// A dictionary that creates an equal cookie.
  open var properties: [HTTPCookiePropertyKey: Any]? { fields.properties }

  /// The name.
  open var name: String { fields.name }

  /// The value.
  open var value: String { fields.value }

  /// The host that the cookie is for; with a leading dot, its subdomains too.
  open var domain: String { fields.domain }

  /// The path that the cookie is for, including everything below it.
  open var path: String { fields.path }

  /// The version: 0, or 1 for a cookie according to RFC 2965.
  open var version: Int { fields.version }

  /// The expiry date; `nil` for a session cookie.
  open var expiresDate: Date? { fields.expiresDate }

  /// Whether the cookie ends with the session.
  open var isSessionOnly: Bool { fields.isSessionOnly }

  /// Whether the cookie is sent over TLS only.
  open var isSecure: Bool { fields.isSecure }

  /// Whether the cookie is for HTTP only and not for a page's scripts.
  open var isHTTPOnly: Bool { fields.isHTTPOnly }

  /// Whether the cookie is sent with requests that another site causes; `nil` if the policy is not set.
  open var sameSitePolicy: HTTPCookieStringPolicy? { fields.sameSitePolicy }

  /// A description of the cookie's purpose.
  open var comment: String? { fields.comment }

  /// The URL of a page about the cookie's purpose.
  open var commentURL: URL? { fields.commentURL }

  /// The ports that the cookie is for; `nil` for all ports.
  open var portList: [NSNumber]? {
    fields.ports.isEmpty ? nil : fields.ports.map { NSNumber(value: $0) }
  }

  /// Whether `object` is an equal cookie.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HTTPCookie else { return false }
    return other === self || other.fields == fields
  }

  /// A hash that is the same for equal cookies.
  open override var hash: Int { fields.hashValue }

  /// The name, domain and path. The value is left out because it may be secret.
  open override var description: String {
    "<\(type(of: self)) name: \(name), domain: \(domain), path: \(path), secure: \(isSecure), "
      + "expires: \(expiresDate?.description ?? "with the session")>"
  }
}
#endif
