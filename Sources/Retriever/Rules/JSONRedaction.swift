#if !canImport(Darwin)
import Foundation

/// Replaces the values of secret members in JSON text and leaves everything else unchanged.
///
/// It only examines strings and what follows them, and does not need a valid document, because a recorded body may be
/// truncated.
enum JSONRedaction {
  static func redact(_ body: Data) -> Data {
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
      result += bytes[position..<end]
      let name = bytes[position..<end]
      position = end
      guard let value = startOfValue(in: bytes, after: end), isSecret(name) else { continue }
      result += bytes[end..<value]
      result += "\"\(Redaction.replacement)\"".utf8
      position = endOfValue(in: bytes, from: value)
    }
    return Data(result)
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

  /// Decodes escapes in the name first, because `"\\u0070assword"` is a password too.
  private static func isSecret(_ quoted: ArraySlice<UInt8>) -> Bool {
    let name =
      quoted.contains(UInt8(ascii: "\\"))
      ? try? JSONDecoder().decode(String.self, from: Data(quoted)) : nil
    return SensitiveNames.containsField(
      name ?? String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self))
  }
}
#endif
