import Glibc

/// A SHA-256 hash that one of a server's certificates must have.
package enum ServerPin: Hashable, Sendable {
  /// Of the subject public key info (SPKI) in DER.
  case publicKey([UInt8])
  /// Of the certificate in DER.
  case certificate([UInt8])
}

/// The pins of a host: a server is accepted only if one of its certificates has one of them.
package struct PinnedServer: Hashable, Sendable {
  /// In lower case, without a final dot. An address is in its shortest form.
  package let host: String
  package var includesSubdomains: Bool
  package var pins: Set<ServerPin>

  package init(host: String, includesSubdomains: Bool, pins: Set<ServerPin>) {
    self.host = Self.canonical(host)
    self.includesSubdomains = includesSubdomains
    self.pins = pins
  }

  /// Returns the pins of the most specific entries for a host; nil if no entry is for it.
  package static func pins(for host: String, in servers: [PinnedServer]) -> Set<ServerPin>? {
    let host = canonical(host)
    let matching = servers.filter { $0.matches(host) }
    guard let longest = matching.map(\.host.utf8.count).max() else { return nil }
    return matching.filter { $0.host.utf8.count == longest }.reduce(into: []) { $0.formUnion($1.pins) }
  }

  /// The form of a host in which equal addresses are equal texts, as libcurl understands them: `127.1` is `127.0.0.1`.
  private static func canonical(_ host: String) -> String {
    let name = host.last == "." && host.utf8.count > 1 ? String(host.dropLast()) : host
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var short = in_addr()
    var long = in6_addr()
    let isWritten =
      if name.utf8.first.map({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) == true,
        inet_aton(name, &short) != 0
      {
        inet_ntop(AF_INET, &short, &text, socklen_t(text.count)) != nil
      } else if inet_pton(AF_INET6, String(name.prefix { $0 != "%" }), &long) == 1 {
        inet_ntop(AF_INET6, &long, &text, socklen_t(text.count)) != nil
      } else {
        false
      }
    guard isWritten else { return name }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func matches(_ name: String) -> Bool {
    if name == host { return true }
    return includesSubdomains && name.utf8.count > host.utf8.count && name.hasSuffix("." + host)
  }
}
