import HTTPService
import HTTPSyntax

/// The media types that a client accepts, from its `Accept` field (RFC 9110, section 12.5.1).
struct AcceptedTypes: Sendable {
  private struct Range: Sendable {
    var type: Substring
    var quality: Int
  }

  private let ranges: [Range]

  init(_ fields: HTTPFields) {
    ranges = fields.values("Accept").flatMap { value in
      value.utf8.split(separator: UInt8(ascii: ",")).prefix(64).compactMap { Self.range(Substring($0)) }
    }
  }

  private static func range(_ text: Substring) -> Range? {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard let type = parts.first.map({ ASCII.trimmed($0) }), !type.isEmpty else { return nil }
    var quality = 1000
    for part in parts.dropFirst() {
      let part = ASCII.trimmed(part)
      guard part.hasPrefix("q=") || part.hasPrefix("Q=") else { continue }
      quality = thousandths(part.dropFirst(2)) ?? 0
    }
    return Range(type: Substring(ASCII.lowercased(type)), quality: quality)
  }

  /// Parses a quality: `0.125` becomes 125. Returns nil if the text is not a valid quality.
  static func thousandths(_ text: Substring) -> Int? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let integer = parts.first, integer == "0" || integer == "1" else { return nil }
    let digits = parts.count > 1 ? String(parts[1]) : ""
    guard digits.utf8.count <= 3, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    let padded = digits + String(repeating: "0", count: 3 - digits.utf8.count)
    return min((integer == "1" ? 1000 : 0) + (Int(padded) ?? 0), 1000)
  }

  /// Returns the quality of a type in thousandths: that of its most specific range, or 0 if there is none.
  func quality(of type: String) -> Int {
    let group = type.prefix { $0 != "/" } + "/*"
    for wanted in [Substring(type), group, "*/*"] {
      if let range = ranges.first(where: { $0.type == wanted }) { return range.quality }
    }
    return 0
  }

  /// Returns whether the field names a type explicitly.
  func names(_ type: String) -> Bool { ranges.contains { $0.type == type && $0.quality > 0 } }

  /// Returns whether the field names a type explicitly, with at least the quality of another one.
  func prefers(_ type: String, to other: String) -> Bool {
    names(type) && quality(of: type) >= quality(of: other)
  }
}
