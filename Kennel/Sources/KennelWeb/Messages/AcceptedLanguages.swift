import HTTPService
import HTTPSyntax

/// The languages that a client prefers, from its `Accept-Language` field (RFC 9110, section 12.5.4).
struct AcceptedLanguages: Sendable {
  private struct Range: Sendable {
    /// The range in lower case, such as `de-at` or `*`.
    var text: String
    /// The weight in thousandths.
    var quality: Int
  }

  /// The ranges that are read. Browsers send fewer than ten.
  private static let maximumCount = 32

  private let ranges: [Range]

  init(_ fields: HTTPFields) {
    ranges = fields.listMembers("Accept-Language").prefix(Self.maximumCount).compactMap(Self.range)
  }

  private static func range(_ member: String) -> Range? {
    let parts = member.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard let text = parts.first.map({ ASCII.trimmed(Substring($0)) }), isRange(text) else { return nil }
    guard parts.count > 1 else { return Range(text: ASCII.lowercased(text), quality: 1000) }
    let weight = ASCII.trimmed(Substring(parts[1]))
    guard parts.count == 2, weight.hasPrefix("q=") || weight.hasPrefix("Q="),
      let quality = AcceptedTypes.thousandths(weight.dropFirst(2))
    else { return nil }
    return Range(text: ASCII.lowercased(text), quality: quality)
  }

  /// Returns whether a text is `*`, or subtags of one to eight letters or digits with hyphens between them.
  private static func isRange(_ text: Substring) -> Bool {
    if text == "*" { return true }
    guard text.utf8.count <= 64 else { return false }
    return text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy {
      part in
      1...8 ~= part.count
        && part.allSatisfy { ASCII.isDigit($0) || ASCII.lowercased($0) &- UInt8(ascii: "a") < 26 }
    }
  }

  /// Chooses a language by lookup (RFC 4647, section 3.4): of the most preferred range on, each is shortened until it is the tag of
  /// a language. Returns nil if there is no such language. A weight of 0 excludes a language.
  ///
  /// - Parameters:
  ///   - offered: the tags, in lower case.
  ///   - standard: the tag that `*` stands for.
  func lookup(_ offered: [String], standard: String) -> String? {
    let excluded = Set(ranges.filter { $0.quality == 0 }.map(\.text))
    let allowed = offered.filter { !excluded.contains($0) }
    // Sorting keeps the order of ranges with the same weight.
    let preferred = ranges.enumerated().filter { $0.element.quality > 0 }
      .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
    for (_, range) in preferred {
      if range.text == "*" {
        if let language = allowed.contains(standard) ? standard : allowed.first { return language }
        continue
      }
      var subtags = range.text.split(separator: "-")[...]
      while !subtags.isEmpty {
        let tag = subtags.joined(separator: "-")
        if allowed.contains(tag) { return tag }
        subtags = subtags.dropLast()
        // A single letter or digit introduces what was cut off.
        if let last = subtags.last, last.utf8.count == 1 { subtags = subtags.dropLast() }
      }
    }
    return nil
  }
}
