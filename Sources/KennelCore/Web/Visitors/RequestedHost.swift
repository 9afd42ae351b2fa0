import Glibc
import HTTPSyntax

/// What a `Host` field names, without the port.
struct RequestedHost: Sendable, Equatable {
  /// In lower case, without brackets and a last dot.
  let name: String
  /// Whether it is an IP address: no look-up of a name led here.
  let isAddress: Bool

  /// Nil for what is no host with or without a port.
  init?(_ field: Substring) {
    let bytes = field.utf8
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")),
        Self.isPort(field[bytes.index(after: end)...])
      else { return nil }
      // The part of the network in `fe80::1%eth0` is of no meaning here.
      let inside = String(
        decoding: bytes[..<end].dropFirst().prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
      guard Self.isAddress(inside, AF_INET6) else { return nil }
      (name, isAddress) = (ASCII.lowercased(inside), true)
      return
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard Self.isPort(field[end...]) else { return nil }
    // Byte by byte: to Swift, a dot and what is joined with it are one character.
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

  /// Nothing, or a colon and digits, if any.
  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.utf8.first == UInt8(ascii: ":") && text.utf8.dropFirst().allSatisfy(ASCII.isDigit)
  }

  private static func isAddress(_ text: String, _ family: Int32) -> Bool {
    var address = in6_addr()
    return inet_pton(family, text, &address) == 1
  }
}
