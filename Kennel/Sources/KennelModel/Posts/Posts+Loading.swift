import Foundation
import KennelStorage

/// Loading posts, many of them with one statement.
extension Posts {
  /// Loads the posts with these ids, in this order. Posts that do not exist are left out.
  ///
  /// - Parameter inBin: whether the posts may also be in the bin.
  static func posts(
    _ ids: [Post.ID], for viewer: User.ID?, inBin: Bool = false, from connection: any RecordConnection
  ) throws(KennelError) -> [Post] {
    if ids.isEmpty { return [] }
    let found = try connection.rows(
      query(connection.dialect), .integer(viewer ?? 0), .text(connection.dialect.list(ids)),
      .integer(inBin ? 1 : 0), row: Post.init(row:))
    let posts = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    return ids.compactMap { posts[$0] }
  }

  /// Loads a post.
  ///
  /// - Parameter inBin: whether the post may also be in the bin.
  static func post(
    _ id: Post.ID, for viewer: User.ID?, inBin: Bool = false, from connection: any RecordConnection
  ) throws(KennelError) -> Post? {
    try posts([id], for: viewer, inBin: inBin, from: connection).first
  }

  /// All posts are loaded by this query. Only the list of their ids depends on the database.
  private static func query(_ dialect: SQLDialect) -> StaticString {
    switch dialect {
    case .sqlite:
      """
      SELECT p.id, p.author, u.name, p.caption, p.photo, h.bytes, h.width, h.height, h.format, h.thumbhash, p.created,
        (SELECT count(*) FROM favourites WHERE post = p.id), (SELECT count(*) FROM comments WHERE post = p.id),
        EXISTS (SELECT 1 FROM favourites WHERE post = p.id AND "user" = ?1), p.peer, p.peer_author, p.remote,
        p.metadata, p.original, p.original_format, p.part, p.taken, p.taken_offset, p.taken_source, p.edited,
        h.duration, (SELECT version FROM user_pictures WHERE "user" = p.author)
      FROM posts p JOIN users u ON u.id = p.author JOIN photos h ON h.hash = p.photo
      WHERE p.id IN (SELECT value FROM json_each(?2)) AND (p.binned IS NULL OR ?3 = 1)
      """
    case .postgres:
      """
      SELECT p.id, p.author, u.name, p.caption, p.photo, h.bytes, h.width, h.height, h.format, h.thumbhash, p.created,
        (SELECT count(*) FROM favourites WHERE post = p.id), (SELECT count(*) FROM comments WHERE post = p.id),
        EXISTS (SELECT 1 FROM favourites WHERE post = p.id AND "user" = ?1), p.peer, p.peer_author, p.remote,
        p.metadata, p.original, p.original_format, p.part, p.taken, p.taken_offset, p.taken_source, p.edited,
        h.duration, (SELECT version FROM user_pictures WHERE "user" = p.author)
      FROM posts p JOIN users u ON u.id = p.author JOIN photos h ON h.hash = p.photo
      WHERE p.id = ANY (CAST(?2 AS bigint[])) AND (p.binned IS NULL OR ?3 = 1)
      """
    }
  }
}

extension SQLDialect {
  /// Returns a list of numbers in the form that a statement can take apart.
  func list(_ numbers: [Int64]) -> String {
    let list = numbers.map { String($0) }.joined(separator: ",")
    return self == .sqlite ? "[\(list)]" : "{\(list)}"
  }
}

extension Post {
  /// Creates a post from the columns of the query above.
  init(row: borrowing RecordRow) throws(KennelError) {
    guard let photo = PhotoHash(bytes: row.blob(4)), let format = PhotoFacts.Format(rawValue: row.text(8))
    else {
      throw KennelError(.damaged, "A post has a photo in an unknown format. Restore a backup.")
    }
    self.init(
      id: row.integer(0), author: row.integer(1), authorName: row.text(2),
      authorPicture: row.isNull(26) ? nil : row.integer(26), caption: row.text(3), photo: photo,
      byteCount: Int(row.integer(5)),
      facts: PhotoFacts(
        width: Int(row.integer(6)), height: Int(row.integer(7)), format: format, thumbHash: row.blob(9),
        duration: row.isNull(25) ? nil : Int(row.integer(25))),
      created: Date(milliseconds: row.integer(10)),
      taken: TakenTime(
        Date(milliseconds: row.integer(21)), secondsFromGMT: Int(row.integer(22)),
        // A later version may know other sources.
        source: TakenTime.Source(rawValue: row.text(23)) ?? .shared),
      favouriteCount: Int(row.integer(11)),
      commentCount: Int(row.integer(12)), isFavourite: row.integer(13) != 0,
      origin: row.isNull(14)
        ? nil : Origin(kennel: row.text(14), author: row.text(15), id: row.integer(16)),
      metadata: try Metadata(row, 17), upload: try Upload(row, 18),
      edited: row.isNull(24) ? nil : Date(milliseconds: row.integer(24)))
  }
}
