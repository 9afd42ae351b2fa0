import Foundation
import KennelStorage
import Synchronization

/// The albums of a kennel. Each change and its event are one transaction.
///
/// All who may see the posts may see the albums. The owner of an album and the owners of the kennel may change it. The posts of
/// an album are ordered like all posts, by the time when their photos were taken. A post in the bin stays in its albums but
/// is not shown there; a post that is deleted forever leaves them. Deleting an album deletes no post.
package final class Albums: Sendable {
  /// The maximum number of albums in a kennel.
  package static let maximumCount = 1000
  /// The maximum number of posts in an album.
  package static let maximumPostCount = 10_000
  /// The maximum number of posts that are added or removed together.
  package static let maximumChangeCount = 1000

  let posts: Posts
  /// Limits how often a user may change titles, because each change brings the words of all the album's posts up to date.
  private let renamings = Mutex(
    AllowanceTable<User.ID>(AttemptAllowance(burst: 20, refill: .seconds(60)), capacity: 10_000))
  var database: any Records { posts.database }

  init(posts: Posts) { self.posts = posts }

  /// Makes an album.
  ///
  /// - Parameter added: the posts that it begins with. Those that do not exist are left out.
  /// - Throws: `badText`, `noSuchUser`, or `notAllowed` if the user may not share photos or there are too many albums.
  package func make(
    title: String, isOpen: Bool = false, posts added: [Post.ID] = [], by user: User.ID
  ) async throws(KennelError) -> Album {
    let title = try Self.checkedTitle(title)
    let now = posts.clock.now()
    return try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      let role = try Posts.role(of: user, connection)
      guard role.maySharePhotos else {
        throw KennelError(.notAllowed, "Only members and owners can make albums.")
      }
      let count = try connection.first("SELECT count(*) FROM albums") { Int($0.integer(0)) } ?? 0
      guard count < Self.maximumCount else {
        throw KennelError(
          .notAllowed, "The kennel has \(Self.maximumCount) albums already. Delete one of them first.")
      }
      let id = try connection.runReturningNumber(
        "INSERT INTO albums (title, owner, is_open, created, changed) VALUES (?1, ?2, ?3, ?4, ?4) RETURNING id",
        .text(title), .integer(user), .integer(isOpen ? 1 : 0), .integer(now.milliseconds))
      _ = try insert(added, into: id, by: user, at: now, in: transaction)
      return try changed(id, at: now, in: transaction)
    }
  }

  /// Changes an album. If it already has these properties, nothing changes.
  ///
  /// - Parameter user: nil for the owner of the machine, who may change all.
  /// - Throws: `badText`, `noSuchAlbum`, `noSuchPost` if the cover is not in the album, `notAllowed`, or `tooManyAttempts` after
  ///   many changes of titles, with the seconds to wait.
  package func edit(
    _ id: Album.ID, _ change: AlbumChange, by user: User.ID?
  ) async throws(KennelError) -> Album {
    let title = try change.title.map { text throws(KennelError) in try Self.checkedTitle(text) }
    if title != nil, let user { try countRenaming(by: user) }
    let now = posts.clock.now()
    return try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      let album = try Self.existing(id, connection)
      try Self.requireEditor(user, of: album, connection)
      var changes = 0
      if let title {
        changes += try connection.run(
          "UPDATE albums SET title = ?2 WHERE id = ?1 AND title IS DISTINCT FROM ?2", .integer(id),
          .text(title))
      }
      if let isOpen = change.isOpen {
        changes += try connection.run(
          "UPDATE albums SET is_open = ?2 WHERE id = ?1 AND is_open IS DISTINCT FROM ?2", .integer(id),
          .integer(isOpen ? 1 : 0))
      }
      if let cover = change.cover {
        guard try Self.shows(cover, in: id, connection) else {
          throw KennelError(.noSuchPost, "The photo is not in the album. Add it to the album first.")
        }
        changes += try connection.run(
          "UPDATE albums SET cover = ?2 WHERE id = ?1 AND cover IS DISTINCT FROM ?2", .integer(id),
          .integer(cover))
      }
      return changes > 0 ? try changed(id, at: now, in: transaction) : album
    }
  }

  private func countRenaming(by user: User.ID) throws(KennelError) {
    let delay = renamings.withLock { [now = posts.clock.uptime()] renamings in
      let delay = renamings.delay(user, at: now)
      if delay == .zero { renamings.take(user, at: now) }
      return delay
    }
    guard delay != .zero else { return }
    throw KennelError(
      .tooManyAttempts, "Titles of albums were changed too often. Try again in a minute.",
      secondsToWait: delay.secondsRoundedUp)
  }

  /// Deletes an album and its links. Its posts stay.
  ///
  /// - Parameter user: nil for the owner of the machine, who may delete all.
  /// - Throws: `noSuchAlbum` or `notAllowed`.
  package func delete(_ id: Album.ID, by user: User.ID?) async throws(KennelError) {
    let now = posts.clock.now()
    try await database.write { [self] transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.requireEditor(user, of: try Self.existing(id, connection), connection)
      try connection.run("DELETE FROM albums WHERE id = ?", .integer(id))
      try posts.changes.record(.albumChanged(album: id), post: 0, at: now, in: transaction)
    }
  }

  /// Notes the time of a change, and records it. Returns the album.
  func changed(
    _ id: Album.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) -> Album {
    try transaction.connection.run(
      "UPDATE albums SET changed = ? WHERE id = ?", .integer(now.milliseconds), .integer(id))
    try posts.changes.record(.albumChanged(album: id), post: 0, at: now, in: transaction)
    return try Self.existing(id, transaction.connection)
  }

  /// Returns a title on one line, without spaces around it.
  private static func checkedTitle(_ text: String) throws(KennelError) -> String {
    try TextRules.check(text, TextRules.albumTitle, name: "title")
    let title = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    try TextRules.checkNotBlank(title, name: "title")
    return title
  }

  static func requireEditor(
    _ user: User.ID?, of album: Album, _ connection: any RecordConnection
  ) throws(KennelError) {
    try Posts.requireEditor(user, ofAlbumOf: album.owner, to: "change it", connection)
  }
}
