#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// Replaces names and passwords, and the values of secret items, in URLs, forms, and text that contains URLs.
///
/// It works on bytes, because `&` with a combining accent is a different Character. It does not need a valid URL.
enum URLTextRedaction {
  private typealias Bytes = ArraySlice<UInt8>

  /// The bytes before a pair, and the bytes after the value of a secret pair. A secret value ends later than others,
  /// because some servers do not split at `;`.
  private struct Separators {
    let start: [UInt8]
    let end: UInt8
    static let path = Separators(start: Array("/;&".utf8), end: UInt8(ascii: "/"))
    static let query = Separators(start: Array("&;?#\r\n".utf8), end: UInt8(ascii: "&"))
  }

  /// The maximum depth of values in other values. A deeper value is replaced without examining it.
  private static let maximumDepth = 4

  private static let replacement = Redaction.replacement.utf8

  /// Redacts a URL, or text that contains URLs.
  static func redact(_ text: some StringProtocol) -> String {
    String(decoding: redactURL(Array(text.utf8)[...], depth: 0), as: UTF8.self)
  }

  /// Redacts `name=value` pairs. Names are decoded before they are compared.
  static func redactPairs(_ bytes: [UInt8]) -> [UInt8] { redactPairs(bytes[...], .query, depth: 0) }

  private static func redactURL(_ bytes: Bytes, depth: Int) -> [UInt8] {
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    let head = redactPairs(withoutUserInfo(bytes[..<end])[...], .path, depth: depth)
    return head + redactPairs(bytes[end...], .query, depth: depth)
  }

  private static func redactPairs(_ bytes: Bytes, _ separators: Separators, depth: Int) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let first = rest.first {
      if separators.start.contains(first) {
        result.append(first)
        rest = rest.dropFirst()
        continue
      }
      let end = rest.firstIndex(where: separators.start.contains) ?? rest.endIndex
      let pair = rest[..<end]
      let equals = pair.firstIndex(of: UInt8(ascii: "="))
      if let equals, isSecret(pair[..<equals]) {
        result += pair[...equals]
        result += replacement
        rest = rest[(rest.firstIndex(of: separators.end) ?? rest.endIndex)...]
      } else {
        let value = equals.map { pair[($0 + 1)...] } ?? pair
        result += pair[..<value.startIndex]
        result += redactValue(value, depth: depth)
        rest = rest[end...]
      }
    }
    return result
  }

  /// Redacts a URL, a form or JSON text that is the value of a pair.
  private static func redactValue(_ value: Bytes, depth: Int) -> [UInt8] {
    let original = Array(value)
    let decoded = decode(value)
    let isJSON = Redaction.looksLikeJSON(decoded[...])
    let mayHoldSecret = decoded.contains(UInt8(ascii: "=")) || decoded.contains("//".utf8)
    let isEncodedTwice = decoded != original && decoded.contains(UInt8(ascii: "%"))
    guard isJSON || mayHoldSecret || isEncodedTwice else { return original }
    guard depth < maximumDepth else { return Array(replacement) }
    let redacted =
      isJSON ? Array(JSONRedaction.redact(Data(decoded))) : redactURL(decoded[...], depth: depth + 1)
    if redacted == decoded { return original }
    return decoded == original ? redacted : encode(redacted)
  }

  /// Replaces everything before the `@` in each authority.
  private static func withoutUserInfo(_ bytes: Bytes) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var result: [UInt8] = []
    var rest = bytes
    while let second = zip(rest.indices, rest.indices.dropFirst())
      .first(where: { rest[$0] == slash && rest[$1] == slash })?.1
    {
      let start = second + 1
      let authority = rest[start...].prefix { $0 != slash }
      result += rest[..<start]
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
        result += replacement
        result += authority[at...]
      } else {
        result += authority
      }
      rest = rest[authority.endIndex...]
    }
    return result + rest
  }

  /// The name is also decoded twice, because it may be part of an encoded URL.
  private static func isSecret(_ name: Bytes) -> Bool {
    let decoded = decode(name)
    return SensitiveNames.containsField(String(decoding: decoded, as: UTF8.self))
      || (decoded.contains(UInt8(ascii: "%"))
        && SensitiveNames.containsField(String(decoding: decode(decoded[...]), as: UTF8.self)))
  }

  /// Decodes percent-encoding. Invalid escapes stay as they are, and the result need not be valid UTF-8: a strict
  /// decoder would leave a name with one bad escape unreadable.
  static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = ASCII.hexadecimalValue(rest[rest.startIndex]),
        let low = ASCII.hexadecimalValue(rest[rest.startIndex + 1])
      {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return bytes.reduce(into: []) { result, byte in
      let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= ASCII.lowercased(byte)
      if isLetter || ASCII.isDigit(byte) || "-._~".utf8.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}
#endif
