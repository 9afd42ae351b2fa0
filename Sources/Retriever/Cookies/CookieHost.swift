#if !canImport(Darwin)
import CPublicSuffix
import Foundation
import HTTPSyntax

/// A host in the form in which cookies are compared: lower case, international names in ASCII (`xn--…`), no brackets.
struct CookieHost: Hashable, Sendable {
  let name: String

  init?(_ url: URL) {
    // Without decoding, Foundation always returns an international host percent-encoded.
    guard let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
    self.init(text: host)
  }

  init(canonical name: String) { self.name = name }

  /// - Parameter text: a host from a URL or a `Set-Cookie` field.
  init?(text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      // Foundation converts an international name to ASCII when it creates a URL.
      guard let encoded = URL(string: "http://\(text)/")?.host(percentEncoded: false),
        encoded.utf8.allSatisfy({ $0 < 0x80 })
      else { return nil }
      name = ASCII.lowercased(encoded)
      return
    }
    name = ASCII.lowercased(text)
  }

  /// Whether this is an address and not a name. An address has no subdomains.
  var isAddress: Bool {
    let bytes = name.utf8
    if bytes.contains(UInt8(ascii: ":")) { return true }
    let lastLabel =
      bytes.lastIndex(of: UInt8(ascii: ".")).map { bytes[bytes.index(after: $0)...] } ?? bytes[...]
    // This includes forms that a resolver accepts as an address, such as 0x7f.1 or 127.1.
    return lastLabel.allSatisfy(ASCII.isDigit) || lastLabel.starts(with: "0x".utf8)
  }

  /// RFC 6265, 5.1.3: the same host, or a subdomain of `domain`.
  func matches(domain: some StringProtocol) -> Bool {
    let above = name.utf8.count - domain.utf8.count
    guard above >= 0, name.utf8.dropFirst(above).elementsEqual(domain.utf8) else { return false }
    return above == 0 || (name.utf8.dropFirst(above - 1).first == UInt8(ascii: ".") && !isAddress)
  }

  /// The registrable domain, such as `example.co.uk` for `www.example.co.uk`; the host itself if there is none.
  var site: String {
    isAddress ? name : PublicSuffixList.registrableDomain(of: name) ?? name
  }
}

/// The names under which anyone can register: `com`, `co.uk`, `github.io`. All calls to libpsl are in this file.
enum PublicSuffixList {
  // Unsafe for the compiler only: libpsl's built-in list is constant data, which every thread may read.
  private nonisolated(unsafe) static let list: OpaquePointer? = psl_builtin()

  /// Returns whether anyone can register a name below `domain`. This is always true for a name with one label.
  static func isPublicSuffix(_ domain: String) -> Bool {
    guard domain.utf8.contains(UInt8(ascii: ".")) else { return true }
    guard let list else { return false }
    return psl_is_public_suffix(list, domain) == 1
  }

  /// Returns the public suffix of `domain` and the label before it; `nil` if there is none.
  static func registrableDomain(of domain: String) -> String? {
    guard let list else { return nil }
    return domain.withCString { name in
      // The result is not a new string: it points into `name`.
      psl_registrable_domain(list, name).map { String(cString: $0) }
    }
  }
}
#endif
