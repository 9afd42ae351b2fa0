import Foundation
import KennelStorage

/// A post in the bin.
package struct BinnedPost: Sendable, Hashable {
  package var post: Post
  /// When the post was moved to the bin.
  package var binned: Date
  /// When the post is deleted forever.
  package var end: Date { binned + Posts.binDuration }
}

/// The bin. Its posts are visible only to their authors and to owners, until they are restored or deleted forever.
///
/// For everyone else, moving a post to the bin is its deletion, and restoring it is a new post. So clients, listeners and
/// caches of thumbnails need not know the bin.
extension Posts {
  /// How long a post stays in the bin.
  package static let binDuration: TimeInterval = 30 * 86_400

  /// Moves a post to the bin. It keeps its photo, comments and favourites.
  ///
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is neither its author nor an owner.
  package func moveToBin(_ id: Post.ID, by user: User.ID) async throws(KennelError) {
    let now = clock.now()
    try await database.write { [changes] transaction throws(KennelError) -> Void in
      let connection = transaction.connection
      let found = try connection.first(
        "SELECT author, photo FROM posts WHERE id = ? AND binned IS NULL", .integer(id)
      ) { (author: $0.integer(0), photo: $0.blob(1)) }
      guard let found else { throw Self.noSuchPost }
      try Self.require(user, oneOf: [found.author], connection)
      try connection.run("UPDATE posts SET binned = ? WHERE id = ?", .integer(now.milliseconds), .integer(id))
      try changes.record(.deleted, post: id, photo: PhotoHash(bytes: found.photo), at: now, in: transaction)
    }
  }

  /// Returns the posts in the bin that a user may see, the latest first: the user's own, or all of them for an owner.
  ///
  /// - Parameter user: nil for the owner of the machine, who may see all.
  package func bin(for user: User.ID?, limit: Int = maximumPageSize) async throws(KennelError) -> [BinnedPost]
  {
    try await database.read { connection throws(KennelError) in
      let author = try Self.binAuthor(user, connection)
      let ids = try connection.rows(
        """
        SELECT id, binned FROM posts WHERE binned IS NOT NULL AND author = coalesce(?, author)
        ORDER BY binned DESC, id DESC LIMIT ?
        """, author.map { .integer($0) } ?? .null, .integer(Int64(min(max(limit, 1), Self.maximumPageSize)))
      ) { (id: $0.integer(0), binned: $0.integer(1)) }
      let times = Dictionary(ids.map { ($0.id, $0.binned) }) { first, _ in first }
      return try Self.posts(ids.map(\.id), for: user, inBin: true, from: connection).compactMap { post in
        times[post.id].map { BinnedPost(post: post, binned: Date(milliseconds: $0)) }
      }
    }
  }

  /// Returns a post in the bin.
  ///
  /// - Throws: `noSuchPost` if it is not in the bin, or if the user may not see it there.
  package func binnedPost(_ id: Post.ID, for user: User.ID?) async throws(KennelError) -> Post {
    try await database.read { connection throws(KennelError) in
      try Self.requireInBin(id, user, connection)
      guard let post = try Self.post(id, for: user, inBin: true, from: connection) else {
        throw Self.notInBin
      }
      return post
    }
  }

  /// Makes a post in the bin visible again, with its comments and favourites.
  ///
  /// - Throws: `noSuchPost` if it is not in the bin, or if the user may not see it there.
  @discardableResult
  package func restore(_ id: Post.ID, by user: User.ID?) async throws(KennelError) -> Post {
    let now = clock.now()
    return try await database.write { [changes] transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.requireInBin(id, user, connection)
      try connection.run("UPDATE posts SET binned = NULL WHERE id = ?", .integer(id))
      try changes.record(.posted, post: id, at: now, in: transaction)
      guard let post = try Self.post(id, for: user, from: connection) else { throw Self.noSuchPost }
      return post
    }
  }

  /// Deletes a post in the bin forever.
  ///
  /// - Throws: `noSuchPost` if it is not in the bin, or if the user may not see it there.
  package func deleteFromBin(_ id: Post.ID, by user: User.ID?) async throws(KennelError) {
    let now = clock.now()
    try await database.write { [self] transaction throws(KennelError) in
      let photo = try Self.requireInBin(id, user, transaction.connection)
      try remove(id, photo: photo, at: now, in: transaction)
    }
  }

  /// Deletes the posts forever that have been in the bin for 30 days, or all of them. Returns their number.
  @discardableResult
  package func emptyBin(completely: Bool = false) async throws(KennelError) -> Int {
    let now = clock.now()
    let end = completely ? Int64.max : (now - Self.binDuration).milliseconds
    var count = 0
    while true {
      // In parts, so that other changes need not wait.
      let removed = try await database.write { [self] transaction throws(KennelError) in
        let posts = try transaction.connection.rows(
          "SELECT id, photo FROM posts WHERE binned <= ? LIMIT 100", .integer(end)
        ) { (id: $0.integer(0), photo: $0.blob(1)) }
        for post in posts { try remove(post.id, photo: post.photo, at: now, in: transaction) }
        return posts.count
      }
      count += removed
      if removed == 0 { return count }
    }
  }

  static let notInBin = KennelError(
    .noSuchPost, "The post is not in the bin. It may have been restored or deleted.")

  /// Returns the author whose posts a user may see in the bin, or nil for all authors.
  private static func binAuthor(_ user: User.ID?, _ connection: any RecordConnection) throws(KennelError)
    -> User.ID?
  {
    guard let user else { return nil }
    let role = try connection.first("SELECT role FROM users WHERE id = ?", .integer(user)) { $0.text(0) }
    return role == User.Role.owner.rawValue ? nil : user
  }

  /// Returns the photo of a post in the bin.
  @discardableResult
  private static func requireInBin(
    _ id: Post.ID, _ user: User.ID?, _ connection: any RecordConnection
  ) throws(KennelError) -> [UInt8] {
    let author = try binAuthor(user, connection)
    let photo = try connection.first(
      "SELECT photo FROM posts WHERE id = ? AND binned IS NOT NULL AND author = coalesce(?, author)",
      .integer(id),
      author.map { .integer($0) } ?? .null
    ) { $0.blob(0) }
    guard let photo else { throw notInBin }
    return photo
  }
}
