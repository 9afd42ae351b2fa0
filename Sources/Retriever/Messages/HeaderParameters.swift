#if !canImport(Darwin)
import HTTPSyntax

/// A parsed field value with parameters, such as `text/html; charset="utf-8"`.
///
/// Accepts what RFC 9110 defines and common deviations. It never fails; the part that it cannot parse is skipped.
package struct HeaderParameters: Sendable {
  /// The text before the first semicolon, in lower case.
  package let value: String
  /// The parameters in order, with names in lower case and unquoted values.
  package let parameters: [(name: String, value: String)]

  package init(_ field: String) {
    var reader = Reader(bytes: Array(field.utf8))
    value = ASCII.lowercased(ASCII.trimmed(reader.text(until: [UInt8(ascii: ";"), UInt8(ascii: ",")])))
    var found: [(name: String, value: String)] = []
    while reader.skip(UInt8(ascii: ";")) {
      let name = ASCII.lowercased(
        ASCII.trimmed(reader.text(until: [UInt8(ascii: "="), UInt8(ascii: ";")])))
      guard reader.skip(UInt8(ascii: "=")) else { continue }
      let value = reader.parameterValue()
      if !name.isEmpty { found.append((name, value)) }
    }
    parameters = found
  }

  /// The first value of a parameter; `name` must be in lower case.
  package subscript(name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    mutating func skip(_ byte: UInt8) -> Bool {
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
      return true
    }

    mutating func text(until stops: [UInt8]) -> String {
      let start = position
      while position < bytes.count, !stops.contains(bytes[position]) { position += 1 }
      return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a token or a quoted string, up to the next semicolon. A backslash escapes the next byte.
    mutating func parameterValue() -> String {
      while position < bytes.count, ASCII.isBlank(bytes[position]) { position += 1 }
      let isQuoted = skip(UInt8(ascii: "\""))
      let stop = isQuoted ? UInt8(ascii: "\"") : UInt8(ascii: ";")
      var value: [UInt8] = []
      while position < bytes.count, bytes[position] != stop {
        if bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
        value.append(bytes[position])
        position += 1
      }
      let text = String(decoding: value, as: UTF8.self)
      guard isQuoted else { return String(ASCII.trimmed(text)) }
      _ = self.text(until: [UInt8(ascii: ";")])
      return text
    }
  }
}
#endif
