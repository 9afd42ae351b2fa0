import Foundation
import KennelStorage

/// The search in PostgreSQL: each post has a vector of its words with their positions. The words are made here, in the same way for
/// posts and for queries.
extension SearchIndex {
  /// The number of posts whose words are made together.
  private static let pageSize = 200
  /// The number of changed posts that are read at a time. A result has a maximum number of rows.
  private static let changePageSize = 10_000

  /// Brings the words of posts up to date that triggers have noted as changed. A new name changes all posts of a person.
  static func updateVectors(_ connection: any RecordConnection) throws(KennelError) {
    var last = Post.ID.min
    while true {
      let posts = try connection.rows(
        "SELECT DISTINCT post FROM search_changes WHERE post > ? ORDER BY post LIMIT ?", .integer(last),
        .integer(Int64(changePageSize))
      ) { $0.integer(0) }
      for start in stride(from: 0, to: posts.count, by: pageSize) {
        let page = Array(posts[start..<min(start + pageSize, posts.count)])
        try store(vectors(of: page, connection), connection)
      }
      last = posts.last ?? last
      if posts.count < changePageSize { break }
    }
    if last > .min { try connection.run("DELETE FROM search_changes") }
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
        SELECT 1 FROM json_array_elements(CAST(? AS json)) e JOIN posts p ON p.id = CAST(e ->> 0 AS bigint)
        LEFT JOIN search s ON s.post = p.id
        WHERE s.words IS DISTINCT FROM search_words(CAST(e ->> 1 AS tsvector), p.taken_local) LIMIT 1
        """, .text(try json(page)), row: { _ in true }) == nil
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
      """, .text(try json(vectors)))
  }

  /// Returns a list of pairs: the number of a post and its words, both as texts.
  private static func json(_ vectors: [PostWords]) throws(KennelError) -> String {
    do {
      let data = try JSONEncoder().encode(vectors.map { ["\($0.post)", $0.words.text] })
      return String(decoding: data, as: UTF8.self)
    } catch {
      throw KennelError(.failed, "The words of the photos could not be stored.", cause: "\(error)")
    }
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
      let page = try connection.rows(
        "SELECT id FROM posts WHERE id >= ? ORDER BY id LIMIT ?", .integer(first), .integer(Int64(pageSize))
      ) { $0.integer(0) }
      guard let last = page.last else { return true }
      guard try body(vectors(of: page, connection)) else { return false }
      guard last < .max, page.count == pageSize else { return true }
      first = last + 1
    }
  }

  /// Returns the words of those of these posts that exist. What is found is the same as in SQLite: the latest 200 comments, and the titles
  /// of the latest 20 albums.
  private static func vectors(
    of posts: [Post.ID], _ connection: any RecordConnection
  ) throws(KennelError) -> [PostWords] {
    if posts.isEmpty { return [] }
    let list = SQLValue.text(connection.dialect.list(posts))
    let found = try connection.rows(
      """
      SELECT p.id, p.caption, coalesce(p.peer_author, u.name), p.taken_local
      FROM posts p JOIN users u ON u.id = p.author WHERE p.id = ANY (CAST(? AS bigint[])) ORDER BY p.id
      """, list
    ) { (post: $0.integer(0), texts: [$0.text(1), $0.text(2)], taken: $0.integer(3)) }
    let comments = try connection.rows(
      """
      SELECT p.id, c.text FROM posts p
      CROSS JOIN LATERAL (SELECT id, text FROM comments WHERE post = p.id ORDER BY id DESC LIMIT 200) c
      WHERE p.id = ANY (CAST(? AS bigint[])) ORDER BY p.id, c.id DESC
      """, list
    ) { (post: $0.integer(0), text: $0.text(1)) }
    let titles = try connection.rows(
      """
      SELECT p.id, t.title FROM posts p CROSS JOIN LATERAL (
        SELECT m.album, a.title FROM album_posts m JOIN albums a ON a.id = m.album
        WHERE m.post = p.id ORDER BY m.album DESC LIMIT 20
      ) t WHERE p.id = ANY (CAST(? AS bigint[])) ORDER BY p.id, t.album DESC
      """, list
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
  /// The size in PostgreSQL: of the words, of their positions, and of the words with the period of the photo, which PostgreSQL adds
  /// (`search_words`). It is a little too high rather than too low.
  private var byteCount = 0

  /// The limits of PostgreSQL: of a position, and of the positions of one word.
  private static let maximumPosition = 16_383
  private static let maximumCount = 255
  /// The maximum length of a word, in characters and in bytes. PostgreSQL allows 2,046 bytes.
  private static let maximumLength = 200
  private static let maximumWordByteCount = 2_000
  /// The size at which no more words are added. PostgreSQL allows 1 MiB, including the last word and the words of the date.
  private static let maximumByteCount = 900_000

  /// Returns a word as it is stored and searched for: without accents, in lower case, and not too long.
  static func normalized(_ word: some StringProtocol) -> String {
    let folded = word.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    let word = folded.lowercased()[...].searchWords.joined(separator: "").prefix(maximumLength)
    guard word.utf8.count > maximumWordByteCount else { return String(word) }
    var short = String.UnicodeScalarView()
    var byteCount = 0
    for scalar in word.unicodeScalars {
      byteCount += UTF8.width(scalar)
      guard byteCount <= maximumWordByteCount else { break }
      short.append(scalar)
    }
    return String(short)
  }

  /// Stands in a query for a period between two of these characters. It is in no word of a text.
  static let periodMark = "#"

  /// Returns a word as a part of a text that PostgreSQL reads as a vector or as a query. Words are letters and digits only, but the safety
  /// of a query must not depend on that.
  static func quoted(_ word: String, hasPeriod: Bool = false) -> String {
    "'" + (hasPeriod ? periodMark : "") + word.doubling("'\\") + "'"
  }

  /// Adds a text. No phrase begins in one text and ends in another.
  mutating func add(_ text: String) {
    for word in text[...].searchWords {
      guard byteCount < Self.maximumByteCount else { return }
      add(word: word)
    }
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
    guard !word.isEmpty else { return }
    let count = positions[word]?.count ?? 0
    guard count < Self.maximumCount else { return }
    // A word has a number of positions, and may begin at an even address.
    byteCount += (count == 0 ? 2 * word.utf8.count + 17 : 0) + 2
    positions[word, default: []].append("\(min(last, Self.maximumPosition))\(weight)")
  }

  /// The text that PostgreSQL reads.
  var text: String {
    positions.map { "\(Self.quoted($0.key)):\($0.value.joined(separator: ","))" }.joined(separator: " ")
  }
}
