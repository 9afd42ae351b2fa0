#if !canImport(Darwin)
extension IPAddress {
  /// The IPv4 address of an IPv4-mapped IPv6 address (`::ffff:a.b.c.d`).
  var unmapped: IPAddress? {
    family == .v6 && value >> 32 == 0xFFFF ? IPAddress(v4: UInt32(truncatingIfNeeded: value)) : nil
  }

  /// Whether the address is reachable from everywhere on the internet.
  ///
  /// Based on IANA's special-purpose address registries. A range counts as public only if it is public both in the
  /// registries and in practice. An IPv6 form of IPv4 addresses is public only if all those addresses are public.
  package var isPublic: Bool {
    switch family {
    case .v4:
      return !Self.reserved4.contains { $0.contains(self) }
    case .v6:
      let inside = embedded
      guard inside.allSatisfy(\.isPublic) else { return false }
      if !inside.isEmpty, Self.ipv4EmbeddingRanges.contains(where: { $0.contains(self) }) { return true }
      return Self.globalUnicast.contains(self) && !Self.reserved6.contains { $0.contains(self) }
    }
  }

  private static let reserved4 = ranges([
    "0.0.0.0/8",  // "this network"; 0.0.0.0 reaches the machine itself
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private
    "100.64.0.0/10",  // shared address space of carriers; the metadata service of Alibaba Cloud
    "127.0.0.0/8",  // loopback
    "168.63.129.16/32",  // the platform service of Azure, reachable from its machines only
    "169.254.0.0/16",  // link-local; the metadata services of most clouds
    "192.0.0.0/24",  // protocol assignments; the metadata service of Oracle Cloud
    "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation
    "192.88.99.0/24",  // 6to4 relays, withdrawn
    "198.18.0.0/15",  // benchmarks
    "224.0.0.0/4",  // multicast
    "240.0.0.0/4",  // reserved, and broadcast
  ])

  /// The IPv6 range allocated for public use. All other addresses are loopback, unspecified, discard-only, unique
  /// local, link-local, site-local, multicast or unassigned.
  private static let globalUnicast = AddressRange(IPAddress(v6: 0x2000 << 112), prefixLength: 3)

  private static let reserved6 = ranges([
    "2001::/23",  // protocol assignments: ORCHID, benchmarks and the like
    "2001:db8::/32", "3fff::/20",  // documentation
    "2002::/16",  // 6to4; those with a public address inside are in `ipv4EmbeddingRanges`
  ])

  /// Ranges whose addresses are public if the embedded IPv4 addresses are.
  private static let ipv4EmbeddingRanges = ranges([
    "::ffff:0:0/96", "64:ff9b::/96", "2001::/32", "2002::/16",
  ])

  private static func ranges(_ texts: [String]) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}
#endif
