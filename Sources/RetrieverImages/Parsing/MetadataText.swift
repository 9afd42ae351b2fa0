/// Decodes text in metadata, whose encoding is often wrong or not stated.
enum MetadataText {
  /// The maximum number of bytes of a text. The rest is cut off.
  static let maximumBytes = 64 << 10

  /// Decodes UTF-8, and other bytes as Latin-1. Returns nil if the text is empty without its surrounding spaces.
  static func decode(_ bytes: some Collection<UInt8>) -> String? {
    var cut = Array(bytes.prefix(maximumBytes))
    if bytes.count > maximumBytes {
      // The limit must not divide a character.
      while let last = cut.last, last & 0xC0 == 0x80 { cut.removeLast() }
      if let last = cut.last, last >= 0xC0 { cut.removeLast() }
    }
    return trimmed(String(validating: cut, as: UTF8.self) ?? latin1(cut))
  }

  /// Decodes Latin-1, the encoding of a PNG's `tEXt` chunk.
  static func latin1(_ bytes: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes.prefix(maximumBytes) { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }

  /// Decodes UTF-16 up to the first zero character.
  static func utf16(_ bytes: some Collection<UInt8>, isLittleEndian: Bool) -> String? {
    let bytes = Array(bytes.prefix(maximumBytes))
    var units: [UInt16] = []
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (one, two) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      let unit = isLittleEndian ? two << 8 | one : one << 8 | two
      if unit == 0 { break }
      units.append(unit)
    }
    return trimmed(String(decoding: units, as: UTF16.self))
  }

  /// Returns the text without surrounding spaces and zero characters; nil if nothing remains.
  static func trimmed(_ text: some StringProtocol) -> String? {
    func isSpace(_ character: Character) -> Bool { character.isWhitespace || character == "\0" }
    let start = text.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return nil }
    return String(start[...last])
  }
}
