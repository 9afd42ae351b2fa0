#if !canImport(Darwin)
/// Checks text in pieces of any size, and finds the first byte that cannot be part of valid UTF-8 (RFC 3629).
package struct UTF8Validator: Sendable {
  private var missing = 0
  /// The values that the next byte may have. After some lead bytes the range is smaller than 80...BF, which excludes
  /// overlong forms, surrogates and values greater than 10FFFF.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  package init() {}

  /// Whether the text may end here.
  package var isAtCharacterBoundary: Bool { missing == 0 }

  /// Returns false if the bytes are not valid as the continuation of the earlier ones.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        // Most text is ASCII: eight bytes at a time.
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
          index += 8
        }
        guard index < bytes.count else { break }
        guard begin(bytes[index]) else { return false }
      } else {
        guard allowed.contains(bytes[index]) else { return false }
        allowed = 0x80...0xBF
        missing -= 1
      }
      index += 1
    }
    return true
  }

  private mutating func begin(_ byte: UInt8) -> Bool {
    allowed = 0x80...0xBF
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: missing = 1
    case 0xE0...0xEF:
      missing = 2
      if byte == 0xE0 { allowed = 0xA0...0xBF }
      if byte == 0xED { allowed = 0x80...0x9F }
    case 0xF0...0xF4:
      missing = 3
      if byte == 0xF0 { allowed = 0x90...0xBF }
      if byte == 0xF4 { allowed = 0x80...0x8F }
    default: return false
    }
    return true
  }
}
#endif
