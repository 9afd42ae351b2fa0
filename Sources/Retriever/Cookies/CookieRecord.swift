#if !canImport(Darwin)
import Foundation

/// A cookie in the file of the shared storage.
struct CookieRecord: PersistentRecord {
  private var name: String
  private var value: String
  private var domain: String
  private var path: String
  private var expires: Date
  private var isSecure: Bool
  private var isHTTPOnly: Bool
  private var sameSite: String?
  private var version: Int
  private var ports: [Int]
  /// When the cookie was stored, and when its name, domain and path first were; nil in files of earlier versions.
  private(set) var stored: Date?
  private(set) var created: Date?

  /// Returns nil for a cookie that ends with the session.
  init?(_ fields: CookieFields, stored: Date, created: Date) {
    guard let expires = fields.expiresDate else { return nil }
    name = fields.name
    value = fields.value
    domain = fields.domain
    path = fields.path
    self.expires = expires
    isSecure = fields.isSecure
    isHTTPOnly = fields.isHTTPOnly
    sameSite = fields.sameSitePolicy?.rawValue
    version = fields.version
    ports = fields.ports
    self.stored = stored
    self.created = created
  }

  var expiry: Date? { expires }
  var key: String { Self.key(name: name, domain: domain, path: path) }

  /// The key of a cookie. Its parts contain no semicolon.
  static func key(of fields: CookieFields) -> String {
    key(name: fields.name, domain: fields.domain, path: fields.path)
  }

  private static func key(name: String, domain: String, path: String) -> String {
    "\(domain);\(path);\(name)"
  }

  /// The cookie; nil if the file is damaged.
  var cookie: HTTPCookie? {
    guard !name.isEmpty, !domain.isEmpty, path.hasPrefix("/"),
      [name, value, domain, path].allSatisfy({ CookieFields.fitsOneHeaderField($0) })
    else { return nil }
    var fields = CookieFields(name: name, value: value, domain: domain, path: path)
    fields.expiresDate = expires
    fields.isSecure = isSecure
    fields.isHTTPOnly = isHTTPOnly
    fields.sameSitePolicy = sameSite.flatMap(CookieFields.sameSitePolicy)
    fields.version = version
    fields.ports = ports
    return HTTPCookie(fields)
  }
}
#endif
