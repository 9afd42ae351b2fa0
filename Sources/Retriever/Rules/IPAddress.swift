#if !canImport(Darwin)
import CLinux

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An IPv4 or IPv6 address.
package struct IPAddress: Sendable, Hashable {
  /// The IP version of an address.
  package enum Family: Sendable, Hashable {
    case v4
    case v6

    /// The number of bits in an address.
    var bitCount: Int { self == .v4 ? 32 : 128 }
  }

  package let family: Family

  /// The address as a number. An IPv4 address is in the lowest 32 bits.
  package let value: UInt128

  package init(v4 value: UInt32) {
    self.family = .v4
    self.value = UInt128(value)
  }

  package init(v6 value: UInt128) {
    self.family = .v6
    self.value = value
  }

  /// Parses an address in standard form, such as `192.0.2.1` or `2001:db8::1`, without brackets or a zone.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
    var v4 = in_addr()
    if inet_pton(AF_INET, String(text), &v4) == 1 {
      self.init(v4: UInt32(bigEndian: v4.s_addr))
      return
    }
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, String(text), &v6) == 1 else { return nil }
    self.init(v6: withUnsafeBytes(of: &v6) { $0.reduce(0) { $0 << 8 | UInt128($1) } })
  }

  /// Reads the address of a socket; nil if the family has no IP addresses or the length is too short.
  package init?(sockaddr pointer: UnsafeRawPointer, length: Int) {
    guard length >= MemoryLayout<sa_family_t>.size else { return nil }
    switch Int32(pointer.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      self.init(v4: UInt32(bigEndian: pointer.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      let address = pointer.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      self.init(v6: withUnsafeBytes(of: address) { $0.reduce(0) { $0 << 8 | UInt128($1) } })
    default:
      return nil
    }
  }

  /// Parses the host of a URL in every form that counts as an address: with brackets or a zone, and the old IPv4
  /// forms with fewer parts, octal or hexadecimal (`127.1`, `0x7f000001`, `2130706433`).
  package init?(host: some StringProtocol) {
    var text = String(host)
    if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
    if let zone = text.firstIndex(of: "%") { text = String(text[..<zone]) }
    if let address = IPAddress(text) {
      self = address
    } else if let number = Self.number(oldForm: text) {
      self.init(v4: number)
    } else {
      return nil
    }
  }

  /// The IPv4 addresses that are embedded in an IPv6 address.
  package var embedded: [IPAddress] {
    guard family == .v6 else { return [] }
    let low = UInt32(truncatingIfNeeded: value)
    switch true {
    case value >> 32 == 0xFFFF,  // ::ffff:a.b.c.d, mapped
      value >> 32 == 0xFFFF_0000,  // ::ffff:0:a.b.c.d, translated
      value >> 32 == 0x0064_FF9B << 64,  // 64:ff9b::a.b.c.d, NAT64
      value >> 32 == 0 && value > 1:  // ::a.b.c.d, compatible
      return [IPAddress(v4: low)]
    case value >> 112 == 0x2002:  // 6to4
      return [IPAddress(v4: UInt32(truncatingIfNeeded: value >> 80))]
    case value >> 96 == 0x2001_0000:  // Teredo: the server, and the client with its bits inverted
      return [IPAddress(v4: UInt32(truncatingIfNeeded: value >> 64)), IPAddress(v4: ~low)]
    case UInt32(truncatingIfNeeded: value >> 32) & 0xFDFF_FFFF == 0x5EFE:  // ISATAP
      return [IPAddress(v4: low)]
    default:
      return []
    }
  }

  /// Parses with the rules of `inet_aton`, which URL parsers and resolvers still follow.
  private static func number(oldForm text: String) -> UInt32? {
    var text = text[...]
    if text.hasSuffix(".") { text = text.dropLast() }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard 1...4 ~= parts.count else { return nil }
    let numbers = parts.compactMap(part)
    guard numbers.count == parts.count, let last = numbers.last else { return nil }
    var result: UInt64 = 0
    for number in numbers.dropLast() {
      guard number <= 0xFF else { return nil }
      result = result << 8 | number
    }
    let lastBits = UInt64(8 * (5 - numbers.count))
    guard last < 1 << lastBits else { return nil }
    return UInt32(exactly: result << lastBits | last)
  }

  private static func part(_ text: Substring) -> UInt64? {
    guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      return text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
    }
    return text.count > 1 && text.hasPrefix("0") ? UInt64(text, radix: 8) : UInt64(text, radix: 10)
  }
}

extension IPAddress: CustomStringConvertible {
  /// The address in standard form.
  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let size = socklen_t(text.count)
    let written =
      switch family {
      case .v4:
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) {
          inet_ntop(AF_INET, $0.baseAddress, &text, size)
        }
      case .v6:
        withUnsafeBytes(of: value.bigEndian) { inet_ntop(AF_INET6, $0.baseAddress, &text, size) }
      }
    guard written != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
#endif
