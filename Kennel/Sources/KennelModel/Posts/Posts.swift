import Foundation
import KennelStorage

/// The posts with their favourites and comments. Each change and its event are one transaction.
package final class Posts: Sendable {
  /// The maximum page size.
  package static let maximumPageSize = 200

  let database: Database
  let clock: KennelClock
  let changes: ChangeRecorder
  let photos: PhotoDirectory

  init(database: Database, photos: PhotoDirectory, changes: ChangeRecorder, clock: KennelClock) {
    self.database = database
    self.photos = photos
    self.changes = changes
    self.clock = clock
  }

  /// Posts a photo. When this returns, the post and the photo are on the disk.
  ///
  /// - Parameter created: the date of the post (default: now). A date in the future counts as now.
  /// - Throws: `badText`, `badPhoto` or `noSuchUser`, or an error of the file system.
  package func add(
    _ photo: NewPhoto, caption: String, author: User.ID, created: Date? = nil
  ) async throws(KennelError) -> Post {
    let draft = try Draft(photo: photo, caption: caption, author: author, created: created)
    return try await database.write { [self] transaction throws(KennelError) in
      try insert(draft, in: transaction)
    }
  }

  /// The data of a new post.
  struct Draft: Sendable {
    let photo: NewPhoto
    let caption: String
    let author: User.ID
    let created: Date?
    var origin: Post.Origin?

    init(photo: NewPhoto, caption: String, author: User.ID, created: Date?) throws(KennelError) {
      try TextRules.check(caption, TextRules.caption, name: "caption")
      let facts = photo.facts
      guard facts.width > 0, facts.height > 0, facts.thumbHash.count <= 64 else {
        throw KennelError(.badPhoto, "The photo has no size, or a placeholder that is too long.")
      }
      (self.photo, self.caption, self.author, self.created) = (photo, caption, author, created)
    }
  }

  func insert(_ draft: Draft, in transaction: WriteTransaction) throws(KennelError) -> Post {
    let now = clock.now()
    let created = min(draft.created ?? now, now)
    let connection = transaction.connection
    try keep(draft.photo, in: transaction)
    do throws(KennelError) {
      let (photo, origin) = (draft.photo, draft.origin)
      try connection.run(
        """
        INSERT INTO posts (author, photo, caption, created, peer, peer_author, remote, metadata, original,
          original_format, part) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, .integer(draft.author), .blob(photo.file.hash.bytes), .text(draft.caption),
        .integer(created.milliseconds), origin.map { .text($0.kennel) } ?? .null,
        origin.map { .text($0.author) } ?? .null, origin.map { .integer($0.id) } ?? .null,
        photo.metadata.value, photo.original.value, photo.originalFormat.value, photo.part.value)
    } catch  where error.isMissingReference {
      throw KennelError.noSuchUser
    }
    let id = connection.lastInsertedID
    try changes.record(.posted, post: id, at: now, in: transaction)
    guard let post = try Self.post(id, for: nil, from: connection) else { throw Self.noSuchPost }
    return post
  }

  /// Returns the ids of the posts before a given one, the newest first.
  package func ids(before: Post.ID?) async throws(KennelError) -> [Post.ID] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT id FROM posts WHERE id < ? ORDER BY id DESC LIMIT 2000", .integer(before ?? .max)
      ) { $0.integer(0) }
    }
  }

  /// Returns the posts before a given one, the newest first.
  ///
  /// - Parameters:
  ///   - before: the last post of the previous page, or nil for the first page.
  ///   - limit: the page size, clamped to 1…``maximumPageSize``.
  ///   - viewer: the user for whom `isFavourite` is set.
  package func page(
    before: Post.ID? = nil, limit: Int = 50, viewer: User.ID? = nil
  ) async throws(KennelError) -> [Post] {
    try await database.read { connection throws(KennelError) in
      try Self.page(before: before, limit: limit, viewer: viewer, from: connection)
    }
  }

  static func page(
    before: Post.ID?, limit: Int, viewer: User.ID?, from connection: Connection
  ) throws(KennelError) -> [Post] {
    let last = before.map { max($0, 1) - 1 } ?? .max
    guard last > 0 else { return [] }
    return try posts(in: 1...last, limit: min(max(limit, 1), maximumPageSize), for: viewer, from: connection)
  }

  /// - Throws: `noSuchPost`.
  package func post(_ id: Post.ID, viewer: User.ID? = nil) async throws(KennelError) -> Post {
    let post = try await database.read { connection throws(KennelError) in
      try Self.post(id, for: viewer, from: connection)
    }
    guard let post else { throw Self.noSuchPost }
    return post
  }

  /// Returns the posts with these ids, in this order. Posts that do not exist are left out.
  package func posts(_ ids: [Post.ID], viewer: User.ID? = nil) async throws(KennelError) -> [Post] {
    try await database.read { connection throws(KennelError) in
      try Self.posts(ids, for: viewer, from: connection)
    }
  }

  static func posts(
    _ ids: [Post.ID], for viewer: User.ID?, from connection: Connection
  ) throws(KennelError) -> [Post] {
    var posts: [Post] = []
    for id in ids {
      if let post = try post(id, for: viewer, from: connection) { posts.append(post) }
    }
    return posts
  }

  static func post(
    _ id: Post.ID, for viewer: User.ID?, from connection: Connection
  ) throws(KennelError) -> Post? {
    try posts(in: id...id, limit: 1, for: viewer, from: connection).first
  }

  /// Loads posts, the newest first. All posts are loaded by this query.
  private static func posts(
    in range: ClosedRange<Post.ID>, limit: Int, for viewer: User.ID?, from connection: Connection
  ) throws(KennelError) -> [Post] {
    try connection.rows(
      """
      SELECT p.id, p.author, u.name, p.caption, p.photo, h.bytes, h.width, h.height, h.format, h.thumbhash, p.created,
        (SELECT count(*) FROM favourites WHERE post = p.id), (SELECT count(*) FROM comments WHERE post = p.id),
        EXISTS (SELECT 1 FROM favourites WHERE post = p.id AND user = ?1), p.peer, p.peer_author, p.remote,
        p.metadata, p.original, p.original_format, p.part
      FROM posts p JOIN users u ON u.id = p.author JOIN photos h ON h.hash = p.photo
      WHERE p.id BETWEEN ?2 AND ?3 ORDER BY p.id DESC LIMIT ?4
      """, .integer(viewer ?? 0), .integer(range.lowerBound), .integer(range.upperBound),
      .integer(Int64(limit)), row: Post.init(row:))
  }

  /// Deletes a post with its comments and favourites, and its photo if no other post uses it.
  ///
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is neither its author nor an owner.
  package func delete(_ id: Post.ID, by user: User.ID) async throws(KennelError) {
    let now = clock.now()
    try await database.write { [self] transaction throws(KennelError) in
      try delete(id, by: user, at: now, in: transaction)
    }
  }

  func delete(
    _ id: Post.ID, by user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) {
    let connection = transaction.connection
    let found = try connection.first("SELECT author, photo FROM posts WHERE id = ?", .integer(id)) { row in
      (author: row.integer(0), photo: row.blob(1))
    }
    guard let found else { throw Self.noSuchPost }
    try Self.require(user, oneOf: [found.author], connection)
    try remove(id, photo: found.photo, at: now, in: transaction)
  }

  /// Removes a post without checking permissions.
  func remove(_ id: Post.ID, photo: [UInt8], at now: Date, in transaction: WriteTransaction)
    throws(KennelError)
  {
    let connection = transaction.connection
    let part = try connection.first("SELECT part FROM posts WHERE id = ?", .integer(id)) { $0.blob(0) } ?? []
    try connection.run("DELETE FROM posts WHERE id = ?", .integer(id))
    try release(photo: photo, part: part, in: transaction)
    try changes.record(.deleted, post: id, photo: PhotoHash(bytes: photo), at: now, in: transaction)
  }

  /// Throws `notAllowed` unless the user is one of these users or an owner.
  static func require(
    _ user: User.ID, oneOf users: [User.ID], to action: String = "delete this", _ connection: Connection
  ) throws(KennelError) {
    let role = try connection.first("SELECT role FROM users WHERE id = ?", .integer(user)) { $0.text(0) }
    guard let role else { throw KennelError.noSuchUser }
    guard users.contains(user) || role == User.Role.owner.rawValue else {
      throw KennelError(.notAllowed, "Only the author or an owner can \(action).")
    }
  }

  static let noSuchPost = KennelError(.noSuchPost, "The post does not exist. It may have been deleted.")
}

extension Post {
  /// Creates a post from the columns of the query above.
  init(row: borrowing Row) throws(KennelError) {
    guard let photo = PhotoHash(bytes: row.blob(4)), let format = PhotoFacts.Format(rawValue: row.text(8))
    else {
      throw KennelError(.damaged, "A post has a photo in an unknown format. Restore a backup.")
    }
    self.init(
      id: row.integer(0), author: row.integer(1), authorName: row.text(2), caption: row.text(3), photo: photo,
      byteCount: Int(row.integer(5)),
      facts: PhotoFacts(
        width: Int(row.integer(6)), height: Int(row.integer(7)), format: format, thumbHash: row.blob(9)),
      created: Date(milliseconds: row.integer(10)), favouriteCount: Int(row.integer(11)),
      commentCount: Int(row.integer(12)), isFavourite: row.integer(13) != 0,
      origin: row.isNull(14)
        ? nil : Origin(kennel: row.text(14), author: row.text(15), id: row.integer(16)),
      metadata: try Metadata(row, 17), upload: try Upload(row, 18))
  }
}

/// The maximum lengths of texts. Texts are stored unescaped; the code that displays them escapes them.
package enum TextRules {
  package struct Limit: Sendable {
    var characters: Int
    /// The maximum number of bytes, because a character can have any number of accents.
    var bytes: Int
  }

  package static let caption = Limit(characters: 2000, bytes: 8000)
  static let comment = Limit(characters: 1000, bytes: 4000)

  package static func check(_ text: String, _ limit: Limit, name: String) throws(KennelError) {
    guard text.utf8.count <= limit.bytes, text.count <= limit.characters else {
      throw KennelError(
        .badText,
        "The \(name) is too long. Use at most \(limit.characters) characters and \(limit.bytes) bytes.")
    }
  }

  static func checkNotBlank(_ text: String, name: String) throws(KennelError) {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw KennelError(.badText, "The \(name) is empty. Write something.")
    }
  }
}
