#if !canImport(Darwin)
import HTTPSyntax

/// A range of IP addresses in CIDR form, such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
public struct AddressRange: Sendable, Hashable, LosslessStringConvertible {
  let base: IPAddress

  /// The number of leading bits that all addresses of the range share.
  public let prefixLength: Int

  /// Parses a range; `nil` if the text is not a valid range. Bits after the prefix are ignored.
  ///
  /// - Parameter description: An address, optionally followed by a slash and the prefix length.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(first) else { return nil }
    var length = address.family.bitCount
    if parts.count == 2 {
      guard let number = ASCII.number(parts[1]), 0...Int64(length) ~= number else { return nil }
      length = Int(number)
    }
    self.init(address, prefixLength: length)
  }

  /// Creates the range of all addresses that share the first bits with this one.
  init(_ address: IPAddress, prefixLength: Int) {
    self.prefixLength = prefixLength
    let hostBits = address.family.bitCount - prefixLength
    // A shift by all 128 bits gives zero, which is the range of all addresses.
    let base = (address.value >> hostBits) << hostBits
    self.base =
      address.family == .v4 ? IPAddress(v4: UInt32(truncatingIfNeeded: base)) : IPAddress(v6: base)
  }

  func contains(_ address: IPAddress) -> Bool {
    guard address.family == base.family else { return false }
    return (address.value ^ base.value) >> (base.family.bitCount - prefixLength) == 0
  }

  /// The range in CIDR form.
  public var description: String { "\(base)/\(prefixLength)" }
}
#endif
