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
