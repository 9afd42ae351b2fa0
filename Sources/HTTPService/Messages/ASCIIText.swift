/// The letters of HTTP's own syntax, which are bytes and not characters.
enum ASCIIText {
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  static func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8, right.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// A name of a method or a field (RFC 9110, 5.6.2).
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  static func trimmed(_ text: Substring) -> Substring {
    let bytes = text.utf8
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return text[first...last]
  }

  static func listMembers(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: ",")).map { String(trimmed(Substring($0))) }.filter {
      !$0.isEmpty
    }
  }

  /// A number in decimal digits only; nil when it is something else or too large.
  static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return Int64(text)
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// The bytes with all that are not visible characters percent-encoded.
  static func percentEncoded(_ bytes: Substring.UTF8View) -> String {
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

  /// Undoes percent-encoding; nil when an escape is cut short or the result is not UTF-8.
  static func percentDecoded(_ bytes: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue) else {
          return nil
        }
        decoded.append(high << 4 | low)
      } else {
        decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }
}
