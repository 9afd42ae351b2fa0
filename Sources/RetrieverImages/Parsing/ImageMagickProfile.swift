/// A profile in a text chunk of a PNG, as ImageMagick and exiftool write it: `Raw profile type exif`.
///
/// The text is the profile's name, the number of its bytes, and the bytes in hexadecimal digits, each on lines of their
/// own.
enum ImageMagickProfile {
  private static let keyword = "Raw profile type "

  /// Returns the kind of profile that a text chunk with this keyword contains, such as `exif`; nil for another text.
  static func kind(_ keyword: String) -> String? {
    keyword.hasPrefix(Self.keyword) ? String(keyword.dropFirst(Self.keyword.count)).lowercased() : nil
  }

  /// Returns the bytes of the profile, or nil if the text is invalid.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var rest = text.drop(while: isSpace)
    // The name of the profile.
    rest = rest.drop { !isSpace($0) }.drop(while: isSpace)
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0, count <= text.count / 2 else {
      return nil
    }
    rest = rest.dropFirst(digits.count)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var high: UInt8?
    for byte in rest where !isSpace(byte) {
      guard let digit = value(of: byte) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
        if bytes.count == count { return bytes }
      } else {
        high = digit
      }
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func value(of byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
