#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// The contents of an ``HTTPCookie``.
struct CookieFields: Hashable, Sendable {
  var name: String
  var value: String
  /// The domain in lower case. With a leading dot it is for the host and all subdomains, otherwise for that host
  /// only.
  var domain: String
  var path: String
  var version = 0
  var expiresDate: Date?
  var isSessionOnly: Bool { expiresDate == nil }
  var isSecure = false
  var isHTTPOnly = false
  var sameSitePolicy: HTTPCookieStringPolicy?
  var comment: String?
  var commentURL: URL?
  var ports: [Int] = []

  var isHostOnly: Bool { !domain.hasPrefix(".") }
  var bareDomain: Substring { isHostOnly ? domain[...] : domain.dropFirst() }

  init(name: String, value: String, domain: String, path: String) {
    self.name = name
    self.value = value
    self.domain = domain
    self.path = path
  }

  /// Parses a property dictionary. Values may be text or have their natural type.
  init?(_ properties: [HTTPCookiePropertyKey: Any]) {
    func text(_ key: HTTPCookiePropertyKey) -> String? {
      switch properties[key] {
      case let text as String: text
      case let text as Substring: String(text)
      case let url as URL: url.absoluteString
      case let policy as HTTPCookieStringPolicy: policy.rawValue
      case let flag as Bool: flag ? "TRUE" : "FALSE"
      case let number as any BinaryInteger: String(number)
      default: nil
      }
    }
    func flag(_ key: HTTPCookiePropertyKey) -> Bool {
      guard let text = text(key) else { return false }
      return !["", "false", "no", "0"].contains(ASCII.lowercased(text))
    }

    guard let name = text(.name), !name.isEmpty, let value = text(.value), let path = text(.path),
      let domain = text(.domain)
        ?? text(.originURL).flatMap({ URL(string: $0) }).flatMap(CookieHost.init)?.name,
      !domain.isEmpty, [name, value, path, domain].allSatisfy(Self.fitsOneHeaderField),
      !name.utf8.contains(UInt8(ascii: "=")),
      // RFC 6265bis, 5.7, 9.
      !(flag(.setByJavaScript) && flag(.httpOnly))
    else { return nil }
    self.init(
      name: name, value: value, domain: ASCII.lowercased(domain), path: path.hasPrefix("/") ? path : "/")
    version = text(.version) == "1" ? 1 : 0
    isSecure = flag(.secure)
    isHTTPOnly = flag(.httpOnly)
    sameSitePolicy = text(.sameSitePolicy).flatMap(Self.sameSitePolicy)
    comment = text(.comment)
    commentURL = text(.commentURL).flatMap { URL(string: $0) }
    let listed = text(.port)?.split(separator: ",").compactMap { ASCII.number(ASCII.trimmed($0)) }.map(
      Int.init)
    // Version 0 allows only one port.
    ports = version == 0 ? Array((listed ?? []).prefix(1)) : listed ?? []

    guard !flag(.discard) else { return }
    if version == 1, let age = text(.maximumAge) {
      expiresDate = CookieDate.expiry(maximumAge: age, now: Date())
    } else if let date = properties[.expires] as? Date {
      expiresDate = date
    } else {
      expiresDate = text(.expires).flatMap(CookieDate.parse)
    }
  }

  /// A dictionary that creates an equal cookie.
  var properties: [HTTPCookiePropertyKey: Any] {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: name, .value: value, .domain: domain, .path: path, .version: String(version),
      .discard: isSessionOnly ? "TRUE" : "FALSE",
    ]
    if let expiresDate { properties[.expires] = expiresDate }
    if isSecure { properties[.secure] = "TRUE" }
    if isHTTPOnly { properties[.httpOnly] = "TRUE" }
    if let sameSitePolicy { properties[.sameSitePolicy] = sameSitePolicy }
    if let comment { properties[.comment] = comment }
    if let commentURL { properties[.commentURL] = commentURL }
    if !ports.isEmpty { properties[.port] = ports.map(String.init).joined(separator: ",") }
    return properties
  }

  static func sameSitePolicy(_ text: String) -> HTTPCookieStringPolicy? {
    switch ASCII.lowercased(text) {
    case "lax": .sameSiteLax
    case "strict": .sameSiteStrict
    default: nil
    }
  }

  /// Returns whether the text has no control characters and no semicolons, which could add a header field or another
  /// cookie.
  static func fitsOneHeaderField(_ text: some StringProtocol) -> Bool {
    !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F || $0 == UInt8(ascii: ";") }
  }
}
#endif
