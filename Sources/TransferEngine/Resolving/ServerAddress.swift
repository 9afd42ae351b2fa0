import Glibc
import HTTPSyntax

/// The destination of a URL: its scheme, host and port, as written in the URL.
struct ServerAddress: Hashable, Sendable {
  var isSecure: Bool
  /// In lower case; an IPv6 address without its brackets.
  var host: String
  var port: UInt16
  var isIPv6Literal = false

  /// Returns the length of the part of a URL before its path; nil if there is no such part.
  static func prefixLength(of url: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let colon = url.firstIndex(of: UInt8(ascii: ":")), colon + 2 < url.count,
      url[colon + 1] == UInt8(ascii: "/"), url[colon + 2] == UInt8(ascii: "/")
    else { return nil }
    var end = colon + 3
    while end < url.count {
      let byte = url[end]
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
      end += 1
    }
    return end
  }

  /// Parses such a prefix, for example "https://example.com:8443". Returns nil for a prefix that it does not
  /// understand. The prefix must not contain a user and password: the engine receives URLs without them.
  init?(prefix: UnsafeBufferPointer<UInt8>) {
    guard Self.prefixLength(of: prefix) == prefix.count, let colon = prefix.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    switch ASCII.lowercased(String(decoding: prefix[..<colon], as: UTF8.self)) {
    case "http": (isSecure, port) = (false, 80)
    case "https": (isSecure, port) = (true, 443)
    default: return nil
    }
    guard let place = HostAndPort(String(decoding: prefix[(colon + 3)...], as: UTF8.self)) else { return nil }
    host = place.host
    isIPv6Literal = place.isIPv6Literal
    if let given = place.port { port = given }
  }

  init(isSecure: Bool, host: String, port: UInt16) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// Whether libcurl knows the address without a look-up: a number, or this machine.
  var needsNoLookup: Bool { isIPv6Literal || Self.needsNoLookup(host) }

  static func needsNoLookup(_ host: String) -> Bool {
    var address = in_addr()
    return host == "localhost" || host.hasSuffix(".localhost") || inet_pton(AF_INET, host, &address) == 1
  }
}

/// `host`, `host:port`, `[address]` or `[address]:port`.
struct HostAndPort: Hashable, Sendable {
  var host: String
  var port: UInt16?
  var isIPv6Literal = false

  init?(_ text: String) {
    var rest = text[...]
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = ASCII.lowercased(String(rest[rest.index(after: rest.startIndex)..<end]))
      isIPv6Literal = true
      rest = rest[rest.index(after: end)...]
    } else {
      let end = rest.firstIndex(of: ":") ?? rest.endIndex
      host = ASCII.lowercased(String(rest[..<end]))
      rest = rest[end...]
      guard host.utf8.allSatisfy(Self.isPlain) else { return nil }
    }
    guard !host.isEmpty else { return nil }
    guard rest.first == ":" else {
      if !rest.isEmpty { return nil }
      return
    }
    let digits = rest.dropFirst()
    if digits.isEmpty { return }
    guard digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let number = UInt16(digits)
    else { return nil }
    port = number
  }

  /// Whether a byte is common in host names. libcurl handles the others, such as percent signs and non-ASCII letters.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
