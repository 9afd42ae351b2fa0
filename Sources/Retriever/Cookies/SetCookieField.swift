#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// Parses `Set-Cookie` fields like a browser, as RFC 6265, 5.2 specifies. It accepts anything that a server sends.
enum SetCookieField {
  /// The maximum length of an attribute. A longer one is ignored.
  private static let maximumAttributeLength = 1024

  /// Returns the cookie that one field sets, or `nil` if it sets none.
  ///
  /// It does not check whether `url` may set a cookie for that domain; the storage does.
  static func cookie(_ field: Substring, from url: URL, now: Date) -> CookieFields? {
    // Splits by bytes, because a semicolon with a combining accent is a different Character.
    let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard let pair = parts.first, let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")),
      let host = CookieHost(url)
    else { return nil }
    let name = ASCII.trimmed(pair[..<equals])
    let value = ASCII.trimmed(pair[pair.utf8.index(after: equals)...])
    guard !name.isEmpty, CookieFields.fitsOneHeaderField(name), CookieFields.fitsOneHeaderField(value)
    else { return nil }

    var cookie = CookieFields(
      name: String(name), value: String(value), domain: host.name, path: defaultPath(of: url))
    let attributes = parts.dropFirst().map { attribute($0) }
    // Here, because the default path can be the same (RFC 6265bis, 4.1.3.2).
    if ASCII.lowercased(name).utf8.starts(with: "__host-".utf8),
      attributes.last(where: { $0.name == "path" })?.value != "/"
    {
      return nil
    }
    apply(attributes, to: &cookie, from: url, now: now)
    return cookie
  }

  private static func attribute(_ text: Substring) -> (name: String, value: String) {
    let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = ASCII.lowercased(ASCII.trimmed(text[..<(equals ?? text.endIndex)]))
    let value = equals.map { String(ASCII.trimmed(text[text.utf8.index(after: $0)...])) } ?? ""
    return (name, value)
  }

  private static func apply(
    _ attributes: [(name: String, value: String)], to cookie: inout CookieFields, from url: URL, now: Date
  ) {
    var maximumAgeDate: Date?
    var discard = false
    for (name, value) in attributes where value.utf8.count <= maximumAttributeLength {
      switch name {
      case "expires": cookie.expiresDate = CookieDate.parse(value) ?? cookie.expiresDate
      case "max-age": maximumAgeDate = CookieDate.expiry(maximumAge: value, now: now) ?? maximumAgeDate
      case "domain": cookie.domain = domain(attribute: value) ?? cookie.domain
      case "path":
        let isUsable = value.hasPrefix("/") && CookieFields.fitsOneHeaderField(value)
        cookie.path = isUsable ? value : defaultPath(of: url)
      case "secure": cookie.isSecure = true
      case "httponly": cookie.isHTTPOnly = true
      case "samesite": cookie.sameSitePolicy = CookieFields.sameSitePolicy(value)
      case "comment": cookie.comment = value.isEmpty ? nil : value
      case "commenturl": cookie.commentURL = URL(string: value)
      case "discard": discard = true
      case "port":
        let ports = value.split(whereSeparator: { $0 == "," || $0 == "\"" || $0 == " " })
        cookie.ports = ports.compactMap { ASCII.number($0) }.map(Int.init)
      default: continue
      }
    }
    // Max-Age has precedence over Expires, regardless of their order.
    if let maximumAgeDate { cookie.expiresDate = maximumAgeDate }
    // A cookie that has already expired still removes the stored one.
    if discard, let expires = cookie.expiresDate, expires > now { cookie.expiresDate = nil }
  }

  private static func domain(attribute value: String) -> String? {
    let text = value.hasPrefix(".") ? value.dropFirst() : value[...]
    guard !text.isEmpty, CookieFields.fitsOneHeaderField(text),
      let host = CookieHost(text: text)
    else { return nil }
    return host.isAddress ? host.name : "." + host.name
  }

  /// Returns the directory of the URL's path (RFC 6265, 5.1.4).
  static func defaultPath(of url: URL) -> String {
    let path = url.path(percentEncoded: true)
    guard path.hasPrefix("/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      slash > path.startIndex
    else { return "/" }
    return String(path[..<slash])
  }

  /// Splits fields that were joined with commas.
  ///
  /// A comma separates two cookies only if a name and `=` follow it. The comma in a date does not.
  static func split(_ joined: String) -> [Substring] {
    var fields: [Substring] = []
    var start = joined.startIndex
    var rest = joined.utf8[...]
    while let comma = rest.firstIndex(of: UInt8(ascii: ",")) {
      rest = rest[joined.utf8.index(after: comma)...]
      let name = rest.drop { ASCII.isBlank($0) || $0 == 0x0A || $0 == 0x0D }
      let afterName = name.drop(while: ASCII.isTokenCharacter)
      guard afterName.startIndex > name.startIndex,
        afterName.drop(while: ASCII.isBlank).first == UInt8(ascii: "=")
      else { continue }
      fields.append(joined[start..<comma])
      start = name.startIndex
    }
    fields.append(joined[start...])
    return fields
  }
}
#endif
