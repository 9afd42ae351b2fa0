#if !canImport(Darwin)

/// Decodes UTF-8 one byte at a time. Invalid bytes become U+FFFD, one for each maximal part that could have begun a
/// character, as in `String(decoding:as:)`.
@usableFromInline
package struct IncrementalUTF8Decoder: Sendable {
  @usableFromInline
  package enum Step: Equatable, Sendable {
    case needsMore
    case scalar(Unicode.Scalar)
    /// The previous bytes were invalid; this byte still has to be decoded.
    case invalidBefore
  }

  private var value: UInt32 = 0
  private var missing = 0
  /// The values that the next byte may have. After some lead bytes the range is smaller than 80...BF, which excludes
  /// overlong forms, surrogates and values greater than 10FFFF.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  package init() {}

  @usableFromInline
  package var isIdle: Bool { missing == 0 }

  @usableFromInline
  package static var replacement: Unicode.Scalar { "\u{FFFD}" }

  @usableFromInline
  package mutating func consume(_ byte: UInt8) -> Step {
    if missing == 0 { return begin(byte) }
    guard allowed.contains(byte) else {
      missing = 0
      return .invalidBefore
    }
    allowed = 0x80...0xBF
    value = value << 6 | UInt32(byte & 0x3F)
    missing -= 1
    return missing == 0 ? .scalar(Unicode.Scalar(value) ?? Self.replacement) : .needsMore
  }

  private mutating func begin(_ byte: UInt8) -> Step {
    allowed = 0x80...0xBF
    switch byte {
    case 0x00...0x7F:
      return .scalar(Unicode.Scalar(byte))
    case 0xC2...0xDF:
      (value, missing) = (UInt32(byte & 0x1F), 1)
    case 0xE0...0xEF:
      (value, missing) = (UInt32(byte & 0x0F), 2)
      if byte == 0xE0 { allowed = 0xA0...0xBF }
      if byte == 0xED { allowed = 0x80...0x9F }
    case 0xF0...0xF4:
      (value, missing) = (UInt32(byte & 0x07), 3)
      if byte == 0xF0 { allowed = 0x90...0xBF }
      if byte == 0xF4 { allowed = 0x80...0x8F }
    default:
      return .scalar(Self.replacement)
    }
    return .needsMore
  }

  /// Ends the stream. An incomplete character becomes one U+FFFD.
  @usableFromInline
  package mutating func finish() -> Unicode.Scalar? {
    guard missing > 0 else { return nil }
    missing = 0
    return Self.replacement
  }
}

#endif
