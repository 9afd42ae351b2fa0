#if !canImport(Darwin)
  import Foundation

  /// The keys of the dictionary that makes an ``HTTPCookie``.
  public struct HTTPCookiePropertyKey: RawRepresentable, Hashable, Sendable {
    /// The key as text.
    public let rawValue: String

    /// Makes a key from text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes a key from text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The cookie's name. Needed.
    public static let name = HTTPCookiePropertyKey("Name")
    /// The cookie's value. Needed.
    public static let value = HTTPCookiePropertyKey("Value")
    /// The path below which the cookie is sent. Needed.
    public static let path = HTTPCookiePropertyKey("Path")
    /// The host the cookie is for; with a dot before it, all hosts below it too. Needed unless there is an ``originURL``.
    public static let domain = HTTPCookiePropertyKey("Domain")
    /// The URL that set the cookie: its host is the domain when none is given.
    public static let originURL = HTTPCookiePropertyKey("OriginURL")
    /// `0` or `1`.
    public static let version = HTTPCookiePropertyKey("Version")
    /// `TRUE` when the cookie is to be sent over TLS only.
    public static let secure = HTTPCookiePropertyKey("Secure")
    /// A `Date`, or a date as in a header field, after which the cookie is gone.
    public static let expires = HTTPCookiePropertyKey("Expires")
    /// `TRUE` when the cookie is to be gone with the session, whatever else was said.
    public static let discard = HTTPCookiePropertyKey("Discard")
    /// How many seconds the cookie lives. Version 1 only.
    public static let maximumAge = HTTPCookiePropertyKey("Max-Age")
    /// What the cookie is for, in words.
    public static let comment = HTTPCookiePropertyKey("Comment")
    /// Where more is said about what the cookie is for.
    public static let commentURL = HTTPCookiePropertyKey("CommentURL")
    /// Ports, separated by commas.
    public static let port = HTTPCookiePropertyKey("Port")
    /// An ``HTTPCookieStringPolicy``.
    public static let sameSitePolicy = HTTPCookiePropertyKey("SameSite")

    /// `TRUE` when scripts of a page may not see the cookie. Apple has the key too, without a public name.
    static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
  }

  /// Whether a cookie goes along with requests that another site causes.
  public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    /// The policy as text.
    public let rawValue: String

    /// Makes a policy from text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not with what another site's page loads, but when one goes from that page to this site.
    public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "lax")
    /// With requests of the same site only.
    public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "strict")
  }
#endif
