/// A SHA-256 hash that one of a server's certificates must have.
package enum ServerPin: Hashable, Sendable {
  /// Of the subject public key info (SPKI) in DER.
  case publicKey([UInt8])
  /// Of the certificate in DER.
  case certificate([UInt8])
}

/// The pins of a host: a server is accepted only if one of its certificates has one of them.
package struct PinnedServer: Hashable, Sendable {
  /// In lower case, without a final dot.
  package var host: String
  package var includesSubdomains: Bool
  package var pins: Set<ServerPin>

  package init(host: String, includesSubdomains: Bool, pins: Set<ServerPin>) {
    self.host = host
    self.includesSubdomains = includesSubdomains
    self.pins = pins
  }

  /// Returns the pins of the most specific entries for a host; nil if no entry is for it.
  package static func pins(for host: String, in servers: [PinnedServer]) -> Set<ServerPin>? {
    let host = host.last == "." && host.utf8.count > 1 ? String(host.dropLast()) : host
    let matching = servers.filter { $0.matches(host) }
    guard let longest = matching.map(\.host.utf8.count).max() else { return nil }
    return matching.filter { $0.host.utf8.count == longest }.reduce(into: []) { $0.formUnion($1.pins) }
  }

  private func matches(_ name: String) -> Bool {
    if name == host { return true }
    return includesSubdomains && name.utf8.count > host.utf8.count && name.hasSuffix("." + host)
  }
}
