/// Percent-encoding as used in URLs and form data.
public enum PercentEncoding {
  /// Returns the bytes as text. Every byte that is not a visible ASCII character is percent-encoded.
  public static func encode(_ bytes: Substring.UTF8View) -> String {
    if bytes.allSatisfy({ 0x21...0x7E ~= $0 }) { return String(Substring(bytes)) }
    return bytes.reduce(into: "") { text, byte in
      if 0x21...0x7E ~= byte {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += byte < 0x10 ? "%0" : "%"
        text += String(byte, radix: 16, uppercase: true)
      }
    }
  }

  /// Whether an escape is truncated or contains characters other than two hexadecimal digits.
  public static func isBroken(_ bytes: Substring.UTF8View) -> Bool {
    var rest = bytes
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[rest.index(after: percent)...]
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ ASCII.hexadecimalValue($0) != nil }) else { return true }
      rest = rest.dropFirst(2)
    }
    return false
  }

  /// Decodes percent-encoding. Returns nil if an escape is truncated or the result is not valid UTF-8.
  public static func decode(_ bytes: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
    self.bytes(of: bytes, plusIsSpace: plusIsSpace).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Decodes percent-encoding to bytes of any kind. Returns nil if an escape is truncated.
  public static func bytes(of bytes: Substring.UTF8View, plusIsSpace: Bool = false) -> [UInt8]? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = iterator.next().flatMap(ASCII.hexadecimalValue),
          let low = iterator.next().flatMap(ASCII.hexadecimalValue)
        else {
          return nil
        }
        decoded.append(high << 4 | low)
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return decoded
  }

  /// Percent-encodes all bytes of a text except letters, digits, `-`, `.`, `_`, `~` and those in `kept`.
  public static func encode(_ text: String, keeping kept: String = "") -> String {
    let kept = Array("-._~\(kept)".utf8)
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if ASCII.isDigit(byte) || (97...122).contains(ASCII.lowercased(byte)) || kept.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
