import Foundation
import KennelStorage

/// The search in PostgreSQL: each post has a vector of its words with their positions. The words are made here, in the same way for
/// posts and for queries.
extension SearchIndex {
  /// The number of posts whose words are made together when all are made.
  private static let pageSize = 200

  /// Brings the words of posts up to date that triggers have noted as changed.
  static func updateVectors(_ connection: any RecordConnection) throws(KennelError) {
    let posts = try connection.rows("SELECT DISTINCT post FROM search_changes") { $0.integer(0) }
    if posts.isEmpty { return }
    try connection.run("DELETE FROM search_changes")
    for post in posts { try store(vectors(of: post...post, connection), connection) }
  }

  /// Makes the words of all posts again.
  static func rebuildVectors(_ connection: any RecordConnection) throws(KennelError) {
    try connection.run("DELETE FROM search")
    try connection.run("DELETE FROM search_changes")
    try forEachPage(connection) { page throws(KennelError) in
      try store(page, connection)
      return true
    }
  }

  /// Returns whether each post has exactly its words.
  static func areVectorsCurrent(_ connection: any RecordConnection) throws(KennelError) -> Bool {
    let pending = try connection.first("SELECT 1 FROM search_changes LIMIT 1", row: { _ in true })
    guard pending == nil else { return false }
    return try forEachPage(connection) { page throws(KennelError) in
      try connection.first(
        """
        SELECT 1 FROM json_array_elements(CAST(? AS json)) e LEFT JOIN search s ON s.post = CAST(e ->> 0 AS bigint)
        WHERE s.words IS DISTINCT FROM CAST(e ->> 1 AS tsvector) LIMIT 1
        """, .text(json(page)), row: { _ in true }) == nil
    }
  }

  /// The words of one post.
  private typealias PostWords = (post: Post.ID, words: WordVector)

  private static func store(
    _ vectors: [PostWords], _ connection: any RecordConnection
  ) throws(KennelError) {
    guard !vectors.isEmpty else { return }
    try connection.run(
      """
      INSERT INTO search (post, words, taken_local)
      SELECT p.id, CAST(e ->> 1 AS tsvector), CASE WHEN p.binned IS NULL THEN p.taken_local END
      FROM json_array_elements(CAST(? AS json)) e JOIN posts p ON p.id = CAST(e ->> 0 AS bigint)
      ON CONFLICT (post) DO UPDATE SET words = excluded.words, taken_local = excluded.taken_local
      """, .text(json(vectors)))
  }

  /// The words have letters, digits and punctuation of their own only, so nothing needs an escape.
  private static func json(_ vectors: [PostWords]) -> String {
    "[" + vectors.map { "[\($0.post),\"\($0.words.text)\"]" }.joined(separator: ",") + "]"
  }

  /// Passes on the words of all posts in pages, as long as the closure returns true.
  ///
  /// - Returns: whether all pages were passed on.
  @discardableResult
  private static func forEachPage(
    _ connection: any RecordConnection, _ body: ([PostWords]) throws(KennelError) -> Bool
  ) throws(KennelError) -> Bool {
    var first: Post.ID = 1
    while true {
      let page = try vectors(of: first...Post.ID.max, connection)
      guard let last = page.last?.post else { return true }
      guard try body(page) else { return false }
      guard last < .max, page.count == pageSize else { return true }
      first = last + 1
    }
  }

  /// Returns the words of the first posts of a range. What is found is the same as in SQLite: the latest 200 comments, and the titles
  /// of the latest 20 albums.
  private static func vectors(
    of posts: ClosedRange<Post.ID>, _ connection: any RecordConnection
  ) throws(KennelError) -> [PostWords] {
    let found = try connection.rows(
      """
      SELECT p.id, p.caption, coalesce(p.peer_author, u.name), p.taken_local
      FROM posts p JOIN users u ON u.id = p.author WHERE p.id BETWEEN ? AND ? ORDER BY p.id LIMIT ?
      """, .integer(posts.lowerBound), .integer(posts.upperBound), .integer(Int64(pageSize))
    ) { (post: $0.integer(0), texts: [$0.text(1), $0.text(2)], taken: $0.integer(3)) }
    guard let first = found.first?.post, let last = found.last?.post else { return [] }
    let comments = try connection.rows(
      """
      SELECT p.id, c.text FROM posts p
      CROSS JOIN LATERAL (SELECT id, text FROM comments WHERE post = p.id ORDER BY id DESC LIMIT 200) c
      WHERE p.id BETWEEN ? AND ? ORDER BY p.id, c.id DESC
      """, .integer(first), .integer(last)
    ) { (post: $0.integer(0), text: $0.text(1)) }
    let titles = try connection.rows(
      """
      SELECT p.id, t.title FROM posts p CROSS JOIN LATERAL (
        SELECT m.album, a.title FROM album_posts m JOIN albums a ON a.id = m.album
        WHERE m.post = p.id ORDER BY m.album DESC LIMIT 20
      ) t WHERE p.id BETWEEN ? AND ? ORDER BY p.id, t.album DESC
      """, .integer(first), .integer(last)
    ) { (post: $0.integer(0), text: $0.text(1)) }
    let texts = Dictionary(grouping: comments + titles) { $0.post }
    return found.map { post in
      var words = WordVector()
      for text in post.texts { words.add(text) }
      for (_, text) in texts[post.post] ?? [] { words.add(text) }
      words.add(date: CalendarTime(localMilliseconds: post.taken))
      return (post.post, words)
    }
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
