/// The translations of sentences that are written in English below the pages, such as those of errors. A pure value.
///
/// The layers below know of no language. What they say may contain values: `{}` in an English sentence stands for any text,
/// and the same place of the translation gets that text.
struct SentenceTable: Sendable {
  private struct Entry: Sendable {
    /// The fixed parts of the English sentence.
    var english: [Substring]
    var translation: [Substring]
  }

  private let exact: [String: String]
  private let patterns: [Entry]

  /// - Parameter sentences: the English sentences with their translations. The first pattern that matches counts.
  init(_ sentences: [(String, String)]) {
    var exact: [String: String] = [:]
    var patterns: [Entry] = []
    for (english, translation) in sentences {
      if english.contains("{}") {
        patterns.append(Entry(english: Self.parts(english), translation: Self.parts(translation)))
      } else {
        exact[english] = translation
      }
    }
    self.exact = exact
    self.patterns = patterns
  }

  private static func parts(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = text[...]
    while let place = rest.firstRange(of: "{}") {
      parts.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return parts + [rest]
  }

  /// Returns the translation of a sentence, or nil if it is not in the table.
  func translation(of sentence: String) -> String? {
    if let known = exact[sentence] { return known }
    for entry in patterns {
      guard let values = Self.values(in: sentence, between: entry.english) else { continue }
      var translation = String(entry.translation[0])
      for (index, part) in entry.translation.dropFirst().enumerated() {
        translation += (index < values.count ? values[index] : "") + part
      }
      return translation
    }
    return nil
  }

  /// Returns the texts between the fixed parts of a pattern, or nil if the sentence does not match it.
  private static func values(in sentence: String, between parts: [Substring]) -> [Substring]? {
    guard let first = parts.first, let last = parts.last, sentence.hasPrefix(first) else { return nil }
    var values: [Substring] = []
    var rest = sentence.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let place = rest.firstRange(of: part) else { return nil }
      values.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    guard rest.hasSuffix(last) else { return nil }
    return values + [rest.dropLast(last.count)]
  }
}
