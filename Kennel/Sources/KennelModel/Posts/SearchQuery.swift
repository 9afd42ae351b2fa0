import KennelStorage

/// What a person searches for: words that a photo's caption, author, comments, date and titles of albums must all contain. The
/// last word may be the beginning of one, if it has at least two characters.
///
/// Anything may be entered. The query language of the index is never visible: all words are quoted.
package struct SearchQuery: Sendable, Hashable {
  /// The maximum length in characters.
  package static let maximumLength = 200
  /// The maximum number of words.
  package static let maximumWordCount = 12

  /// What was entered, without spaces around it.
  package let text: String
  /// The words, those of a date as one.
  private let words: [Word]

  /// Whether there are words to search for.
  package var hasWords: Bool { !words.isEmpty }

  /// The last word, if it may be the beginning of one.
  var beginning: Substring? { words.last.flatMap { $0.isBeginning ? $0.parts.last : nil } }

  /// Returns the query in the language of the index, or nil if there are no words to search for.
  ///
  /// - Parameter completions: the words of the index that begin with ``beginning``, or nil if the index searches for them.
  func expression(_ dialect: SQLDialect, completions: [String]? = nil) -> String? {
    words.isEmpty ? nil : Self.terms(words, dialect, completions).joined(separator: dialect.and)
  }

  /// What the index of PostgreSQL has about posts of one period.
  var periods: SearchPeriods {
    SearchPeriods(
      expression: Self.terms(words, .postgres, nil, hasPeriods: true).joined(
        separator: SQLDialect.postgres.and),
      isComplete: !Self.terms(words, .postgres, nil).contains { $0.contains(" <-> ") || $0.contains("':A") })
  }

  /// - Throws: `badText` if the text is too long or has too many words.
  package init(_ text: String) throws(KennelError) {
    try TextRules.check(text, TextRules.Limit(characters: Self.maximumLength, bytes: 800), name: "search")
    let words = text.split(whereSeparator: \.isWhitespace).map(Word.init).filter { !$0.parts.isEmpty }
    guard words.reduce(0, { $0 + $1.parts.count }) <= Self.maximumWordCount else {
      throw KennelError(
        .badText, "The search has too many words. Use at most \(Self.maximumWordCount) words.")
    }
    self.text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    self.words = words
  }

  private static func terms(
    _ words: [Word], _ dialect: SQLDialect, _ completions: [String]?, hasPeriods: Bool = false
  ) -> [String] {
    func either(_ date: String, _ other: String) -> String {
      "(\(dialect.date(date, hasPeriods))\(dialect.or)\(other))"
    }
    func phrase(_ word: Word, isLast: Bool) -> String {
      let isPrefix = isLast && word.isBeginning
      if dialect == .postgres { return word.vectorQuery(isPrefix: isPrefix, hasPeriods) }
      guard isPrefix, let completions else { return word.phrase(isPrefix: isPrefix) }
      return word.phrase(completions: completions)
    }
    var terms: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if let next = rest.first, let day = word.day(with: next) ?? next.day(with: word) {
        rest = rest.dropFirst()
        let both = phrase(word, isLast: false) + dialect.and + phrase(next, isLast: rest.isEmpty)
        terms.append(either(day, "(\(both))"))
      } else if let date = word.date {
        terms.append(either(date, phrase(word, isLast: rest.isEmpty)))
      } else if let month = word.translatedMonth {
        terms.append(either(month, phrase(word, isLast: rest.isEmpty)))
      } else {
        terms.append(phrase(word, isLast: rest.isEmpty))
      }
    }
    // A word that was repeated costs time and changes nothing.
    var known: Set<String> = []
    return terms.filter { known.insert($0.lowercased()).inserted }
  }
}

/// A search in the words of posts of one period, which the index of PostgreSQL has without their order and meaning.
struct SearchPeriods: Sendable {
  /// The words in the language of the index. A ``WordVector/periodMark`` before each of them stands for the period.
  let expression: String
  /// Whether all posts with these words are found. Otherwise, the words must also be in an order, or mean a date.
  let isComplete: Bool
}

/// A text without spaces, and its meaning as a date.
private struct Word: Hashable {
  let text: Substring
  /// The letters and digits, divided where the index divides them.
  let parts: [Substring]

  init(_ text: Substring) {
    self.text = text
    parts = text.searchWords
  }

  /// Whether this can be the beginning of a word. A single character is the beginning of too many words.
  var isBeginning: Bool { (parts.last?.count ?? 0) > 1 }

  /// The word in the language of SQLite’s index, with each of these words as its last part.
  func phrase(completions: [String]) -> String {
    let phrases = completions.map { Self.quoted(parts.dropLast() + [$0[...]]) }
    return phrases.isEmpty ? phrase() : "(" + phrases.joined(separator: " OR ") + ")"
  }

  /// The word in the language of SQLite’s index: its parts in this order.
  func phrase(isPrefix: Bool = false) -> String {
    Self.quoted(parts) + (isPrefix ? " *" : "")
  }

  /// The word in the language of PostgreSQL’s index: its parts in this order, or all of them in the same period.
  func vectorQuery(isPrefix: Bool, _ hasPeriods: Bool) -> String {
    let words = parts.map(WordVector.normalized).filter { !$0.isEmpty }
    // No post has this word.
    if words.isEmpty { return "'-'" }
    let quoted = words.map { WordVector.quoted($0, hasPeriod: hasPeriods) }
    return "(" + quoted.joined(separator: hasPeriods ? " & " : " <-> ") + (isPrefix ? ":*)" : ")")
  }

  /// Returns words in the language of SQLite’s index. A word never contains a quotation mark, but the safety of the query must not depend
  /// on that.
  private static func quoted(_ words: [Substring]) -> String {
    "\"" + words.joined(separator: " ").doubling("\"") + "\""
  }

  /// The word of the index for a month such as `2024-07`, or for a day such as `2024-07-14`.
  var date: String? {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let month = Month(numbers.prefix(2).joined(separator: "-")) else { return nil }
    let digits = month.description.filter { $0 != "-" }
    switch numbers.count {
    case 2: return digits
    case 3:
      return numbers[2].utf8.count == 2 ? Word(numbers[2]).number.map { digits + $0.padded(to: 2) } : nil
    default: return nil
    }
  }

  /// The word of the index for a day of any year if this word is a month, such as `July` or `Jul`, and the other one a day.
  func day(with other: Word) -> String? {
    guard let name = monthName, let day = other.number else { return nil }
    return "\(name)\(day)"
  }

  /// The word of the index for a month whose name in another language than English is this word, such as `Oktober` or `Okt`.
  /// The index contains English names, which are found like any other word.
  var translatedMonth: String? {
    guard let monthName, parts[0].lowercased() != monthName, parts[0].lowercased() != monthName.prefix(3)
    else { return nil }
    return monthName
  }

  /// The English name of the month that this word is in any language, in lower case.
  private var monthName: String? {
    guard parts.count == 1 else { return nil }
    let name = parts[0].lowercased()
    for language in Language.allCases {
      let index = language.monthNames.firstIndex { month in
        month.lowercased() == name || month.lowercased().prefix(3) == name
      }
      if let index { return Language.english.monthNames[index].lowercased() }
    }
    return nil
  }

  /// The number of a day of a month.
  private var number: Int? {
    guard parts.count == 1, parts[0].utf8.count <= 2, let number = Int(parts[0]), 1...31 ~= number else {
      return nil
    }
    return number
  }
}

extension SQLDialect {
  fileprivate var and: String { self == .sqlite ? " AND " : " & " }
  fileprivate var or: String { self == .sqlite ? " OR " : " | " }

  /// Returns the query for a word of a date.
  fileprivate func date(_ word: String, _ hasPeriod: Bool) -> String {
    if self == .sqlite { return "dates : \"\(word)\"" }
    return WordVector.quoted(WordVector.normalized(word), hasPeriod: hasPeriod) + (hasPeriod ? "" : ":A")
  }
}
