/// The SHA-256 of a photo's bytes: its name in the store.
package struct PhotoHash: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  package let bytes: [UInt8]

  package init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// From 64 hexadecimal digits in lower case.
  package init?(_ text: some StringProtocol) {
    let digits = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    guard digits.count == 64, text.utf8.count == 64 else { return nil }
    bytes = stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// 64 hexadecimal digits in lower case.
  package var description: String {
    String(unsafeUninitializedCapacity: 64) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = Self.digit(byte >> 4)
        text[2 * index + 1] = Self.digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
