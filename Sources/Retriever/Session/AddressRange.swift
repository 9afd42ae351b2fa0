#if !canImport(Darwin)
  import HTTPSyntax

  /// A range of IP addresses in CIDR form, such as `10.0.0.0/8` or `2001:db8::/32`; or a single address.
  public struct AddressRange: Sendable, Hashable, LosslessStringConvertible {
    let base: IPAddress

    /// How many leading bits an address shares with the range.
    public let prefixLength: Int

    /// Reads a range; `nil` when the text is not one. Bits after the prefix are ignored.
    ///
    /// - Parameter description: An address, and optionally a slash and the length of the prefix.
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

    /// The range of all addresses that share the first bits with this one.
    init(_ address: IPAddress, prefixLength: Int) {
      self.prefixLength = prefixLength
      let hostBits = address.family.bitCount - prefixLength
      // A shift by all 128 bits gives zero: that is the range of everything.
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
