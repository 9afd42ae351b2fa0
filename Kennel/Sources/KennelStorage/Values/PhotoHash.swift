/// The SHA-256 hash of a photo's bytes. It is the name of the photo in the store.
package struct PhotoHash: Sendable, Hashable, CustomStringConvertible {
  /// 32 bytes.
  package let bytes: [UInt8]

  package init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Creates a hash from 64 lowercase hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text, count: 32) else { return nil }
    self.bytes = bytes
  }

  /// The hash as 64 lowercase hexadecimal digits.
  package var description: String { Hexadecimal.text(bytes) }
}

/// Converts bytes to and from lowercase hexadecimal digits.
package enum Hexadecimal {
  /// Returns the bytes of a text, or nil if it does not encode exactly `count` bytes.
  package static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
    let digits = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    guard digits.count == 2 * count, text.utf8.count == 2 * count else { return nil }
    return stride(from: 0, to: 2 * count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  package static func text(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for (index, byte) in bytes.enumerated() {
        text[2 * index] = digit(byte >> 4)
        text[2 * index + 1] = digit(byte & 15)
      }
      return 2 * bytes.count
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
