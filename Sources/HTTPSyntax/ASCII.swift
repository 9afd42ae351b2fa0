/// Byte rules of HTTP's grammar. They only consider ASCII: the locale never changes the meaning of a header.
public enum ASCII {
  /// Returns the lowercase form of A to Z; any other byte is returned unchanged.
  @inlinable @inline(__always)
  public static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  /// Returns the uppercase form of a to z; any other byte is returned unchanged.
  @inlinable @inline(__always)
  public static func uppercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x61 < 26 ? byte & 0xDF : byte
  }

  /// Whether a byte is one of the characters 0 to 9.
  @inlinable @inline(__always)
  public static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Whether a byte is one of 0 to 9, A to F or a to f.
  @inlinable
  public static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || lowercased(byte) &- 0x61 < 6
  }

  /// Whether a byte is a space or a horizontal tab.
  @inlinable @inline(__always)
  public static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Whether a byte is a `tchar` (RFC 9110): a character allowed in field names and methods.
  @inlinable
  public static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether a text is a `token` (RFC 9110): one or more token characters. An empty text is not a token.
  @inlinable
  public static func isToken(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenCharacter)
  }

  /// Whether two texts have the same UTF-8 bytes, ignoring the case of A to Z only.
  @inlinable
  public static func equalIgnoringCase(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    let leftBytes = left.utf8
    let rightBytes = right.utf8
    guard leftBytes.count == rightBytes.count else { return false }
    return zip(leftBytes, rightBytes).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Returns the text with A to Z in lowercase. Other characters do not change.
  @inlinable
  public static func lowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map { lowercased($0) }, as: UTF8.self)
  }

  /// Returns the text with a to z in uppercase. Other characters do not change.
  @inlinable
  public static func uppercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map { uppercased($0) }, as: UTF8.self)
  }

  /// Returns the text without leading and trailing spaces and tabs (HTTP's optional whitespace).
  @inlinable
  public static func trimmed(_ text: some StringProtocol) -> Substring {
    var rest = Substring(text)
    while let first = rest.utf8.first, isBlank(first) {
      rest = rest[rest.utf8.index(after: rest.startIndex)...]
    }
    while let last = rest.utf8.last, isBlank(last) {
      rest = rest[..<rest.utf8.index(before: rest.endIndex)]
    }
    return rest
  }

  /// Returns the number in `text`, which may contain only digits; `nil` for any other text or if the number does not
  /// fit.
  @inlinable
  public static func number(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty else { return nil }
    var value: Int64 = 0
    for byte in text.utf8 {
      guard isDigit(byte) else { return nil }
      let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowedAgain) = product.addingReportingOverflow(Int64(byte &- 0x30))
      guard !overflowed, !overflowedAgain else { return nil }
      value = sum
    }
    return value
  }

  /// Returns the value of a hexadecimal digit.
  @inlinable @inline(__always)
  public static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// Returns the members of a comma-separated list, without surrounding whitespace and without empty members.
  ///
  /// A comma in a quoted string separates members too. Use it only for fields whose members contain no quoted strings.
  public static func listMembers(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: ",")).map { String(trimmed(Substring($0))) }.filter {
      !$0.isEmpty
    }
  }
}
