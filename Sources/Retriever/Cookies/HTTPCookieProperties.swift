#if !canImport(Darwin)
import Foundation

/// The keys of the dictionary that creates an ``HTTPCookie``.
public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
  /// The key as text.
  public let rawValue: String

  /// Creates a key from text.
  public init(_ rawValue: String) { self.rawValue = rawValue }

  /// Creates a key from text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The cookie's name. Required.
  public static let name = HTTPCookiePropertyKey("Name")
  /// The cookie's value. Required.
  public static let value = HTTPCookiePropertyKey("Value")
  /// The path that the cookie is for, including everything below it. Required.
  public static let path = HTTPCookiePropertyKey("Path")
  /// The host that the cookie is for; with a leading dot, its subdomains too. Required unless there is an
  /// ``originURL``.
  public static let domain = HTTPCookiePropertyKey("Domain")
  /// The URL that set the cookie. Its host is the default domain.
  public static let originURL = HTTPCookiePropertyKey("OriginURL")
  /// `0` or `1`.
  public static let version = HTTPCookiePropertyKey("Version")
  /// `TRUE` if the cookie may only be sent over TLS.
  public static let secure = HTTPCookiePropertyKey("Secure")
  /// The expiry date: a `Date`, or text as in a header field.
  public static let expires = HTTPCookiePropertyKey("Expires")
  /// `TRUE` if the cookie ends with the session, regardless of the other properties.
  public static let discard = HTTPCookiePropertyKey("Discard")
  /// The lifetime in seconds. Version 1 only.
  public static let maximumAge = HTTPCookiePropertyKey("Max-Age")
  /// A description of the cookie's purpose.
  public static let comment = HTTPCookiePropertyKey("Comment")
  /// The URL of a page about the cookie's purpose.
  public static let commentURL = HTTPCookiePropertyKey("CommentURL")
  /// Ports, separated by commas.
  public static let port = HTTPCookiePropertyKey("Port")
  /// An ``HTTPCookieStringPolicy``.
  public static let sameSitePolicy = HTTPCookiePropertyKey("SameSite")

  /// `TRUE` if a script of a page sets the cookie. Such a cookie cannot be hidden from scripts: with `HttpOnly`, none is
  /// created.
  public static let setByJavaScript = HTTPCookiePropertyKey("SetByJavaScript")

  /// `TRUE` if a page's scripts must not read the cookie. Apple has this key too, without a public name.
  static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
}

/// Whether a cookie is sent with requests that another site causes.
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
  /// The policy as text.
  public let rawValue: String

  /// Creates a policy from text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Not with resources that another site's page loads, but when the user follows a link from that page.
  public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
  /// Only with requests from the same site.
  public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
}
#endif
