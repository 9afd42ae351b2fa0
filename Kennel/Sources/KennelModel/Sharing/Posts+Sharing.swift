import Foundation
import KennelStorage

/// A post that another kennel offers.
package struct PeerPost: Sendable, Hashable {
  package var id: Int64
  package var author: String
  package var caption: String
  package var created: Date
  /// When the photo was taken, or nil if the other kennel does not send it, as older versions do.
  package var taken: TakenTime?
  package var hash: PhotoHash
  package var byteCount: Int

  package init(
    id: Int64, author: String, caption: String, created: Date, taken: TakenTime? = nil, hash: PhotoHash,
    byteCount: Int
  ) {
    (self.id, self.author, self.caption, self.created) = (id, author, caption, created)
    (self.taken, self.hash, self.byteCount) = (taken, hash, byteCount)
  }
}

/// The posts that kennels exchange.
extension Posts {
  /// Returns posts that were created here, the oldest first. These are the posts that another kennel may take.
  ///
  /// Posts that came from another kennel are not passed on, so no post circulates endlessly. Videos are not passed on either:
  /// earlier versions would download them in vain.
  ///
  /// - Parameters:
  ///   - after: the last post of the previous page, or nil for the first page.
  ///   - limit: the page size, clamped to 1…``maximumPageSize``.
  package func sharedPage(after: Post.ID? = nil, limit: Int = 50) async throws(KennelError) -> [Post] {
    let limit = Int64(min(max(limit, 1), Self.maximumPageSize))
    return try await database.read { connection throws(KennelError) in
      let ids = try connection.rows(
        """
        SELECT p.id FROM posts p JOIN photos h ON h.hash = p.photo
        WHERE p.peer IS NULL AND +p.binned IS NULL AND p.id > ? AND h.duration IS NULL ORDER BY p.id LIMIT ?
        """,
        .integer(after ?? 0),
        .integer(limit), row: { $0.integer(0) })
      return try Self.posts(ids, for: nil, from: connection)
    }
  }

  /// Stores a post of another kennel and the note that it was taken. Returns nil if it was taken before, even if it has
  /// been deleted here since.
  ///
  /// - Parameters:
  ///   - key: the key under which the other kennel's posts are remembered.
  ///   - taken: when the photo was taken (default: the date of the post).
  /// - Throws: `badText`, `badPhoto` or `noSuchUser`, or an error of the file system.
  package func take(
    _ photo: NewPhoto, caption: String, author: User.ID, origin: Post.Origin, key: PeerKey, created: Date,
    taken: TakenTime? = nil
  ) async throws(KennelError) -> Post? {
    var draft = try Draft(photo: photo, caption: caption, author: author, created: created)
    draft.origin = origin
    draft.taken = taken
    draft.ignoresQuota = true
    return try await storing(photo) { [self, draft] transaction throws(KennelError) in
      let isNew = try transaction.connection.run(
        "INSERT INTO taken (peer, remote) VALUES (?, ?) ON CONFLICT DO NOTHING", .text(key.kennel),
        .integer(origin.id))
      try PeerReadState.advance(to: origin.id, of: key, transaction.connection)
      return isNew > 0 ? try insert(draft, in: transaction) : nil
    }
  }

  /// Returns whether a post of another kennel was taken before.
  package func hasTaken(_ id: Int64, of key: PeerKey) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        "SELECT 1 FROM taken WHERE peer = ? AND remote = ?", .text(key.kennel), .integer(id),
        row: { _ in true }
      ) != nil
    }
  }

  /// Returns whether the same post has already come from another kennel: from a copy of the offering kennel, or from
  /// the kennel itself under another identity. All properties are compared, so a kennel cannot block the posts of
  /// another one.
  package func hasEqual(to post: PeerPost) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      try connection.first(
        """
        SELECT 1 FROM posts WHERE (photo = ?1 OR original = ?1) AND remote = ?2 AND peer_author = ?3 AND caption = ?4
          AND created = ?5
        """, .blob(post.hash.bytes), .integer(post.id), .text(post.author), .text(post.caption),
        .integer(post.created.milliseconds), row: { _ in true }) != nil
    }
  }
}
