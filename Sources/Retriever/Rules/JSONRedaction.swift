#if !canImport(Darwin)
import Foundation

/// Replaces the values of secret members in JSON text and leaves everything else unchanged.
///
/// It only examines strings and what follows them, and does not need a valid document, because a recorded body may be
/// truncated. URLs and JSON text in strings are redacted too.
enum JSONRedaction {
  /// The maximum depth of JSON text in other JSON text. A deeper one is replaced without examining it.
  private static let maximumDepth = 4

  static func redact(_ body: Data) -> Data { redact(body, depth: 0) }

  private static func redact(_ body: Data, depth: Int) -> Data {
    let bytes = [UInt8](body)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "\"") else {
        result.append(bytes[position])
        position += 1
        continue
      }
      let end = endOfString(in: bytes, from: position)
      let name = bytes[position..<end]
      position = end
      guard let value = startOfValue(in: bytes, after: end) else {
        result += redactString(name, depth: depth)
        continue
      }
      result += name
      guard isSecret(name) else { continue }
      result += bytes[end..<value]
      result += "\"\(Redaction.replacement)\"".utf8
      position = endOfValue(in: bytes, from: value)
    }
    return Data(result)
  }

  /// Redacts a string that is a value, with its quotes. It stays as it is written if it contains nothing secret.
  private static func redactString(_ quoted: ArraySlice<UInt8>, depth: Int) -> [UInt8] {
    let text = text(of: quoted)
    let isJSON = Redaction.looksLikeJSON(Array(text.utf8.drop { $0 <= 0x20 })[...])
    guard isJSON || text.contains("://") else { return Array(quoted) }
    var redacted = text
    if isJSON {
      guard depth < maximumDepth else { return Array("\"\(Redaction.replacement)\"".utf8) }
      redacted = String(decoding: redact(Data(text.utf8), depth: depth + 1), as: UTF8.self)
    }
    // Text that only begins like JSON may have URLs outside of strings.
    if redacted.contains("://"), !isJSON || !isValid(text) { redacted = URLTextRedaction.redact(redacted) }
    guard redacted != text else { return Array(quoted) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(redacted)).map { Array($0) } ?? Array("\"\(Redaction.replacement)\"".utf8)
  }

  /// The start of a member's value if a colon follows its name.
  private static func startOfValue(in bytes: [UInt8], after end: Int) -> Int? {
    let colon = skipSpace(in: bytes, from: end)
    guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return nil }
    return skipSpace(in: bytes, from: colon + 1)
  }

  /// The position after a string, a number, or a complete object or array.
  private static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
    var position = start
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position = endOfString(in: bytes, from: position)
        if depth == 0 { return position }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return position }
        depth -= 1
        if depth == 0 { return position + 1 }
      case UInt8(ascii: ",") where depth == 0:
        return position
      default:
        break
      }
      position += 1
    }
    return position
  }

  private static func endOfString(in bytes: [UInt8], from quote: Int) -> Int {
    var position = quote + 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(position + 1, bytes.count)
  }

  private static func skipSpace(in bytes: [UInt8], from start: Int) -> Int {
    var position = start
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    return position
  }

  private static func isSecret(_ quoted: ArraySlice<UInt8>) -> Bool {
    SensitiveNames.containsField(text(of: quoted))
  }

  private static func isValid(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
  }

  /// Decodes the escapes in a string, because `"\\u0070assword"` is a password too. The string may be cut, also within an
  /// escape.
  private static func text(of quoted: ArraySlice<UInt8>) -> String {
    var rest = quoted.dropFirst()
    if !quoted.contains(UInt8(ascii: "\\")) {
      if rest.last == UInt8(ascii: "\"") { rest = rest.dropLast() }
      return String(decoding: rest, as: UTF8.self)
    }
    var units: [UInt16] = []
    var plain: [UInt8] = []
    func endPlain() {
      units += String(decoding: plain, as: UTF8.self).utf16
      plain.removeAll()
    }
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      guard byte == UInt8(ascii: "\\") else {
        plain.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { break }
      if escaped == UInt8(ascii: "u") {
        endPlain()
        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
        rest = rest.dropFirst(4)
        if let unit = UInt16(digits, radix: 16) { units.append(unit) }
      } else {
        plain.append(escapes[escaped] ?? escaped)
      }
    }
    endPlain()
    return String(decoding: units, as: UTF16.self)
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "b"): 8,
    UInt8(ascii: "f"): 12,
  ]
}
#endif
