import HTTPSyntax

/// A proxy's address, parsed as far as the engine needs.
package struct ProxyAddress: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case http
    /// The proxy receives addresses, which the client looks up.
    case socksWithAddresses
    /// The proxy receives names.
    case socksWithNames
  }

  /// In the format that libcurl accepts, without the name and password.
  let text: String
  package let kind: Kind
  package let host: String
  package let port: UInt16
  let isIPv6Literal: Bool
  /// Whether the connection to the proxy is encrypted.
  package let isSecure: Bool
  /// The name and password for the proxy.
  package var user: String?
  package var password: String?
  /// Whether an HTTP proxy gets the name and password before it asks for them.
  package var sendsPasswordFirst = true

  /// Returns nil if the text is not the address of a supported kind of proxy.
  package init?(_ text: String) {
    var rest = text[...]
    var scheme = "http"
    var prefix = ""
    if let colon = text.firstRange(of: "://") {
      scheme = ASCII.lowercased(String(text[..<colon.lowerBound]))
      prefix = scheme + "://"
      rest = text[colon.upperBound...]
    }
    switch scheme {
    case "http", "https": kind = .http
    case "socks", "socks4", "socks5": kind = .socksWithAddresses
    case "socks4a", "socks5h": kind = .socksWithNames
    default: return nil
    }
    isSecure = scheme == "https"
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = Self.decoded(parts[0])
      password = parts.count > 1 ? Self.decoded(parts[1]) : ""
      rest = rest[rest.index(after: at)...]
    }
    guard let place = HostAndPort(String(rest)) else { return nil }
    self.text = prefix + rest
    host = place.host
    isIPv6Literal = place.isIPv6Literal
    // libcurl's default ports for proxies.
    port = place.port ?? (isSecure ? 443 : 1080)
  }

  var needsNoLookup: Bool { isIPv6Literal || ServerAddress.needsNoLookup(host) }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2).compactMap(ASCII.hexadecimalValue)
      if byte == UInt8(ascii: "%"), digits.count == 2 {
        bytes.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
