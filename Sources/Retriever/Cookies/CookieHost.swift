#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// A host in the form in which cookies compare it: lower case, international names as ASCII (`xn--…`), no brackets.
  struct CookieHost: Hashable, Sendable {
    let name: String

    init?(_ url: URL) {
      // Undecoded, Foundation gives an international host percent-encoded whatever the URL spells.
      guard let host = url.host(percentEncoded: false), !host.isEmpty else { return nil }
      self.init(text: host)
    }

    init(canonical name: String) { self.name = name }

    /// - Parameter text: a host as a URL or a `Set-Cookie` field spells it.
    init?(text: some StringProtocol) {
      guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
        // Foundation knows how to spell an international name in ASCII, when it makes a URL.
        guard let encoded = URL(string: "http://\(text)/")?.host(percentEncoded: false),
          encoded.utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        name = ASCII.lowercased(encoded)
        return
      }
      name = ASCII.lowercased(text)
    }

    /// Whether this is an address rather than a name: an address has no hosts below it.
    var isAddress: Bool {
      let bytes = name.utf8
      if bytes.contains(UInt8(ascii: ":")) { return true }
      let lastLabel =
        bytes.lastIndex(of: UInt8(ascii: ".")).map { bytes[bytes.index(after: $0)...] } ?? bytes[...]
      // Also one that a resolver would take for an address, such as 0x7f.1 or 127.1.
      return lastLabel.allSatisfy(ASCII.isDigit) || lastLabel.starts(with: "0x".utf8)
    }

    /// RFC 6265, 5.1.3: the same host, or one below `domain`.
    func matches(domain: some StringProtocol) -> Bool {
      let above = name.utf8.count - domain.utf8.count
      guard above >= 0, name.utf8.dropFirst(above).elementsEqual(domain.utf8) else { return false }
      return above == 0 || (name.utf8.dropFirst(above - 1).first == UInt8(ascii: ".") && !isAddress)
    }

    /// What one organisation owns: `example.co.uk` for `www.example.co.uk`, the host itself where there is no such.
    var site: String {
      isAddress ? name : PublicSuffixList.registrableDomain(of: name) ?? name
    }
  }
#endif
