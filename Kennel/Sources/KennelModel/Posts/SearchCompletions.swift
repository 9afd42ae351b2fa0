import Foundation
import KennelStorage

/// The words of SQLite's index that begin with the last word of a search.
///
/// FTS5 has an index of the beginnings of up to twelve characters. For a longer one, it would put the photos of all its words
/// together before it returns the first one. So the words are named.
enum SearchCompletions {
  /// The length of the longest beginnings that the index has.
  private static let indexedLength = 12
  /// The maximum number of words that are named. For more, FTS5 puts their photos together.
  static let maximumCount = 100

  /// Returns the query in the language of the index, or nil if there are no words to search for.
  static func expression(
    _ query: SearchQuery, _ connection: any RecordConnection
  ) throws(KennelError) -> String? {
    query.expression(connection.dialect, completions: try completions(query, connection))
  }

  private static func completions(
    _ query: SearchQuery, _ connection: any RecordConnection
  ) throws(KennelError) -> [String]? {
    guard connection.dialect == .sqlite, let beginning = query.beginning.flatMap(indexed),
      beginning.unicodeScalars.count > indexedLength
    else { return nil }
    // Each step looks up the next word. No word contains the character 1, so the first text after a word with it is the next word.
    let words = try connection.rows(
      """
      WITH RECURSIVE words (word) AS (
        SELECT (SELECT term FROM search_words WHERE term >= ?1 AND term < ?2 ORDER BY term LIMIT 1)
        UNION ALL SELECT (
          SELECT term FROM search_words WHERE term >= word || char(1) AND term < ?2 ORDER BY term LIMIT 1
        ) FROM words WHERE word IS NOT NULL
      ) SELECT word FROM words WHERE word IS NOT NULL LIMIT ?3
      """, .text(beginning), .text(beginning + "\u{10FFFF}"), .integer(Int64(maximumCount + 1))
    ) { $0.text(0) }
    // The words come from the file, so the safety of the query must not depend on them.
    guard words.count <= maximumCount, words.allSatisfy({ $0.unicodeScalars.allSatisfy(\.isInSearchWord) })
    else { return nil }
    return words
  }

  /// Returns a word as the index has it, in lower case and without accents, or nil if it has other letters than Latin ones.
  static func indexed(_ word: some StringProtocol) -> String? {
    let letters = word.precomposedStringWithCanonicalMapping.unicodeScalars
    guard letters.allSatisfy({ $0.isASCII || 0xC0...0x17E ~= $0.value }) else { return nil }
    return word.folding(options: [.diacriticInsensitive], locale: nil).lowercased()
  }
}
