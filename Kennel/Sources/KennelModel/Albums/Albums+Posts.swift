import Foundation
import KennelStorage

/// The posts in albums.
extension Albums {
  /// Adds posts to an album. Posts that are in it already, or do not exist, are left out.
  ///
  /// - Parameter user: nil for the owner of the machine, who may add to all.
  /// - Returns: the album, and the number of posts that were added.
  /// - Throws: `noSuchAlbum`, or `notAllowed` if the user may not add posts or there would be too many.
  package func add(
    _ added: [Post.ID], to id: Album.ID, by user: User.ID?
  ) async throws(KennelError) -> (album: Album, count: Int) {
    let now = posts.clock.now()
    return try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      let album = try Self.existing(id, connection)
      if album.isOpen, let user {
        guard try Posts.role(of: user, connection).maySharePhotos else {
          throw KennelError(.notAllowed, "Only members and owners can add photos to albums.")
        }
      } else {
        try Self.requireEditor(user, of: album, connection)
      }
      let count = try insert(added, into: id, by: user, at: now, in: transaction)
      return (count > 0 ? try changed(id, at: now, in: transaction) : album, count)
    }
  }

  /// Removes posts from an album. The posts stay in the kennel. Posts that are not in the album are left out.
  ///
  /// Those who may edit the album may remove all posts. Others may remove the posts that they added, and their own: with the
  /// album, others may share them. Posts in the bin are removed as well, so that they are not in the album when they are restored;
  /// they are not counted, because the album does not show them.
  ///
  /// - Parameter user: nil for the owner of the machine, who may remove all.
  /// - Returns: the album, and the number of posts that were removed.
  /// - Throws: `noSuchAlbum`, or `notAllowed` if the user may not remove one of the posts. Then none is removed.
  package func remove(
    _ removed: [Post.ID], from id: Album.ID, by user: User.ID?
  ) async throws(KennelError) -> (album: Album, count: Int) {
    try Self.checkCount(removed)
    let now = posts.clock.now()
    return try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      let album = try Self.existing(id, connection)
      var count = 0
      for post in removed {
        let found = try connection.first(
          """
          SELECT p.author, m.adder, p.binned IS NOT NULL FROM album_posts m JOIN posts p ON p.id = m.post
          WHERE m.album = ? AND m.post = ?
          """, .integer(id), .integer(post)
        ) { (author: $0.integer(0), adder: $0.integer(1), isBinned: $0.integer(2) != 0) }
        guard let found else { continue }
        if user != found.author, user != found.adder {
          do throws(KennelError) {
            try Self.requireEditor(user, of: album, connection)
          } catch {
            // For others, a post in the bin is not in the album.
            if found.isBinned, error.code == .notAllowed { continue }
            throw error
          }
        }
        let deleted = try connection.run(
          "DELETE FROM album_posts WHERE album = ? AND post = ?", .integer(id), .integer(post))
        if !found.isBinned { count += deleted }
        try connection.run(
          "UPDATE albums SET cover = NULL WHERE id = ? AND cover = ?", .integer(id), .integer(post))
      }
      return (count > 0 ? try changed(id, at: now, in: transaction) : album, count)
    }
  }

  /// Adds posts without checking permissions. Returns their number.
  func insert(
    _ added: [Post.ID], into id: Album.ID, by user: User.ID?, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Int {
    try Self.checkCount(added)
    let connection = transaction.connection
    var count = 0
    for post in added {
      count += try connection.run(
        """
        INSERT INTO album_posts (album, post, adder, added)
        SELECT ?1, id, ?3, ?4 FROM posts WHERE id = ?2 AND binned IS NULL ON CONFLICT DO NOTHING
        """, .integer(id), .integer(post), user.map { .integer($0) } ?? .null, .integer(now.milliseconds))
    }
    let total = try connection.first("SELECT count(*) FROM album_posts WHERE album = ?", .integer(id)) {
      Int($0.integer(0))
    }
    guard total ?? 0 <= Self.maximumPostCount else {
      throw KennelError(
        .notAllowed, "An album has at most \(Self.maximumPostCount) photos. Make another album for the rest.")
    }
    return count
  }

  private static func checkCount(_ posts: [Post.ID]) throws(KennelError) {
    guard posts.count <= maximumChangeCount else {
      throw KennelError(
        .badText,
        "At most \(maximumChangeCount) photos can be added or removed together. Use several requests.")
    }
  }
}
