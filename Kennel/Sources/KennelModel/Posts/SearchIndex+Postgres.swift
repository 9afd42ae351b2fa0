import Foundation
import KennelStorage

/// The search in PostgreSQL: each post has a vector of its words with their positions. The words are made here, in the same way for
/// posts and for queries.
extension SearchIndex {
  /// Brings the words of posts up to date that triggers have noted as changed.
  static func updateVectors(_ connection: any RecordConnection) throws(KennelError) {
    let posts = try connection.rows("SELECT DISTINCT post FROM search_changes") { $0.integer(0) }
    if posts.isEmpty { return }
    try connection.run("DELETE FROM search_changes")
    for post in posts {
      guard let words = try words(of: post, connection) else { continue }
      try connection.run(
        """
        INSERT INTO search (post, words, taken_local)
        SELECT id, CAST(?2 AS tsvector), CASE WHEN binned IS NULL THEN taken_local END FROM posts WHERE id = ?1
        ON CONFLICT (post) DO UPDATE SET words = excluded.words, taken_local = excluded.taken_local
        """, .integer(post), .text(words.text))
    }
  }

  /// Returns the words of a post, or nil if it was deleted. What is found is the same as in SQLite: the latest 200 comments, and
  /// the titles of the latest 20 albums.
  private static func words(
    of post: Post.ID, _ connection: any RecordConnection
  ) throws(KennelError) -> WordVector? {
    let found = try connection.first(
      """
      SELECT p.caption, coalesce(p.peer_author, u.name), p.taken_local FROM posts p JOIN users u ON u.id = p.author
      WHERE p.id = ?
      """, .integer(post)
    ) { (texts: [$0.text(0), $0.text(1)], taken: $0.integer(2)) }
    guard let found else { return nil }
    var words = WordVector()
    for text in found.texts { words.add(text) }
    let comments = try connection.rows(
      "SELECT text FROM comments WHERE post = ? ORDER BY id DESC LIMIT 200", .integer(post)
    ) { $0.text(0) }
    for text in comments { words.add(text) }
    let titles = try connection.rows(
      """
      SELECT a.title FROM album_posts m JOIN albums a ON a.id = m.album WHERE m.post = ? ORDER BY m.album DESC LIMIT 20
      """, .integer(post)
    ) { $0.text(0) }
    for text in titles { words.add(text) }
    words.add(date: CalendarTime(localMilliseconds: found.taken))
    return words
  }
}

/// The words of a text with their positions, in the form of PostgreSQL's type `tsvector`.
struct WordVector {
  private var positions: [String: [String]] = [:]
  private var last = 0

  /// The limits of PostgreSQL: of a position, and of the positions of one word.
  private static let maximumPosition = 16_383
  private static let maximumCount = 255

  /// Returns a word as it is stored and searched for: without accents, in lower case, and not too long.
  static func normalized(_ word: some StringProtocol) -> String {
    let folded = word.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    return String(folded.lowercased().filter { $0.isLetter || $0.isNumber }.prefix(200))
  }

  /// Adds a text. No phrase begins in one text and ends in another.
  mutating func add(_ text: String) {
    for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) { add(word: word) }
    last += 10
  }

  /// Adds the words of a day, which queries find by their weight `A`: `2024`, `202407`, `20240714`, `jul`, `july`, `july14`.
  mutating func add(date: CalendarTime) {
    let name = Language.english.monthNames[(date.month - 1) % 12].lowercased()
    let month = date.year.padded(to: 4) + date.month.padded(to: 2)
    for word in [
      date.year.padded(to: 4), month, month + date.day.padded(to: 2), String(name.prefix(3)), name,
      "\(name)\(date.day)",
    ] { add(word: word, weight: "A") }
  }

  private mutating func add(word: some StringProtocol, weight: String = "") {
    let word = Self.normalized(word)
    last += 1
    guard !word.isEmpty, positions[word, default: []].count < Self.maximumCount else { return }
    positions[word, default: []].append("\(min(last, Self.maximumPosition))\(weight)")
  }

  /// The text that PostgreSQL reads. Words are letters and digits only, so nothing in them has a meaning.
  var text: String {
    positions.map { "'\($0.key)':\($0.value.joined(separator: ","))" }.joined(separator: " ")
  }
}
