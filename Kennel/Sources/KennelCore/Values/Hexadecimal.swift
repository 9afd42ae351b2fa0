/// Converts bytes to and from lowercase hexadecimal digits.
enum Hexadecimal {
  /// Returns the bytes of a text, or nil if it does not encode exactly `count` bytes.
  static func bytes(_ text: some StringProtocol, count: Int) -> [UInt8]? {
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

  static func text(_ bytes: [UInt8]) -> String {
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
