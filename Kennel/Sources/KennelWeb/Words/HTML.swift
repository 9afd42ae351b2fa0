/// A piece of HTML in which every inserted string is escaped.
///
/// Only literals in the source count as markup: a literal is a `StaticString`, which outside data can never become.
/// Every string interpolated into a literal, as in `"<li title=\"\(post.caption)\">"`, is escaped for text and for
/// attributes in double quotes.
struct HTML: Sendable, Hashable {
  /// The markup.
  private(set) var text: String

  /// Concatenates pieces.
  init(_ parts: [HTML] = []) { text = parts.reduce(into: "") { $0 += $1.text } }

  /// Creates a piece from the text of a piece that was kept.
  init(kept text: String) { self.text = text }

  /// Escapes a text. Characters that are not allowed in HTML become replacement characters.
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case 0x09, 0x0A, 0x0D: bytes.append(byte)
      case 0..<0x20, 0x7F: bytes += "\u{FFFD}".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension HTML: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    mutating func appendInterpolation(_ string: String) { text += HTML.escaped(string) }

    mutating func appendInterpolation(_ number: some FixedWidthInteger) { text += String(number) }

    mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }

    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }
  }

  init(stringLiteral literal: StaticString) { text = literal.description }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}
