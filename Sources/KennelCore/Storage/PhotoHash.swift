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
    guard let bytes = Hexadecimal.bytes(text, count: 32) else { return nil }
    self.bytes = bytes
  }

  /// 64 hexadecimal digits in lower case.
  package var description: String { Hexadecimal.text(bytes) }
}
