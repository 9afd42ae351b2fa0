import Glibc
import HTTPSyntax

/// The host in a `Host` field, without the port.
struct RequestedHost: Sendable, Equatable {
  /// The host in lower case, without brackets and without a trailing dot.
  let name: String
  /// Whether it is an IP address, which needs no name lookup.
  let isAddress: Bool

  /// Parses a host with an optional port. Returns nil if the text is not valid.
  init?(_ field: Substring) {
    let bytes = field.utf8
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
        Self.isPort(field[bytes.index(after: end)...])
      else { return nil }
      // The zone in `fe80::1%eth0` has no meaning here.
      let inside = String(
        decoding: bytes[..<end].dropFirst().prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
      guard Self.isAddress(inside, AF_INET6) else { return nil }
      (name, isAddress) = (ASCII.lowercased(inside), true)
      return
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard Self.isPort(field[end...]) else { return nil }
    // Compared as bytes, because Swift treats a dot and a combining mark as one character.
    var written = bytes[..<end]
    if written.last == UInt8(ascii: ".") { written = written.dropLast() }
    let isName = written.allSatisfy { byte in
      ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
    let name = Substring(written)
    guard isName, !name.isEmpty, written.count <= 253, !name.hasPrefix("."), !name.contains("..") else {
      return nil
    }
    self.name = ASCII.lowercased(name)
    isAddress = Self.isAddress(self.name, AF_INET)
  }

  /// Returns whether a text is empty, or a colon followed by any number of digits.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.utf8.first == UInt8(ascii: ":") && text.utf8.dropFirst().allSatisfy(ASCII.isDigit)
  }

  private static func isAddress(_ text: String, _ family: Int32) -> Bool {
    var address = in6_addr()
    return inet_pton(family, text, &address) == 1
  }
}
