import Foundation
import KennelStorage

/// A secret link: people without an account see one photo or one album with it.
package struct SecretLink: Sendable, Hashable, Identifiable {
  /// What a link leads to.
  package enum Target: Sendable, Hashable {
    case post(Post.ID)
    /// An album with the posts that it shows when somebody looks.
    case album(Album.ID)

    var post: SQLValue { if case .post(let id) = self { .integer(id) } else { .null } }
    var album: SQLValue { if case .album(let id) = self { .integer(id) } else { .null } }
  }

  package var id: Int64
  package var target: Target
  /// The name of the user who made it.
  package var maker: String
  package var created: Date
  /// The date from which it does not work any more, or nil for a link without an end.
  package var expires: Date?

  /// The album that it leads to, or nil for a link to a post.
  package var album: Album.ID? { if case .album(let id) = target { id } else { nil } }

  package func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}

extension Posts {
  /// The lifetime of a link if its maker chooses none.
  package static let defaultLinkLifetime = Duration.seconds(7 * 24 * 3600)
  /// The maximum number of links to a post or an album.
  static let maximumLinkCount = 100
  /// How long an expired link is listed.
  private static let expiredLinkRetention: TimeInterval = 30 * 24 * 3600

  /// Makes a link to a post or an album. Its token is returned only here.
  ///
  /// - Parameter lifetime: how long it works, or nil for a link without an end.
  /// - Throws: `noSuchPost` or `noSuchAlbum`, or `notAllowed` if the user may not share the target, or if there are too
  ///   many links. An album has photos of others, so only those who may share photos make links to it.
  package func makeLink(
    to target: SecretLink.Target, by user: User.ID, lifetime: Duration?
  ) async throws(KennelError) -> (link: SecretLink, token: SecretToken<SecretLink>) {
    let now = clock.now()
    let token = SecretToken<SecretLink>()
    let expires = lifetime.map { now.addingTimeInterval(TimeInterval($0.components.seconds)) }
    let link = try await database.write { transaction throws(KennelError) -> SecretLink in
      let connection = transaction.connection
      try Self.requireLinkPermission(user, target, connection)
      if case .album = target, try !Self.role(of: user, connection).maySharePhotos {
        throw KennelError(.notAllowed, "Only members and owners can make links to albums.")
      }
      let end = now.addingTimeInterval(-Self.expiredLinkRetention)
      try connection.run("DELETE FROM links WHERE expires < ?", .integer(end.milliseconds))
      let count = try connection.first(
        "SELECT count(*) FROM links WHERE post IS NOT DISTINCT FROM ? AND album IS NOT DISTINCT FROM ?",
        target.post, target.album
      ) { Int($0.integer(0)) }
      guard (count ?? 0) < Self.maximumLinkCount else {
        throw KennelError(
          .notAllowed, "There are \(Self.maximumLinkCount) links to this already. Revoke one of them first.")
      }
      let id = try connection.runReturningNumber(
        "INSERT INTO links (token, post, album, maker, created, expires) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        .blob(token.digest), target.post, target.album, .integer(user), .integer(now.milliseconds),
        expires.map { .integer($0.milliseconds) } ?? .null)
      guard let link = try Self.link(id, from: connection) else { throw KennelError.noSuchSecretLink }
      return link
    }
    return (link, token)
  }

  /// Returns the links to a post or an album, the newest first, also those that have expired recently.
  ///
  /// - Throws: `noSuchPost` or `noSuchAlbum`, or `notAllowed` if the user may not share the target.
  package func links(
    to target: SecretLink.Target, for user: User.ID
  ) async throws(KennelError) -> [SecretLink] {
    try await database.read { connection throws(KennelError) in
      try Self.requireLinkPermission(user, target, connection)
      let ids = try connection.rows(
        "SELECT id FROM links WHERE post IS NOT DISTINCT FROM ? AND album IS NOT DISTINCT FROM ? ORDER BY id DESC",
        target.post, target.album
      ) { $0.integer(0) }
      return try Self.links(ids, from: connection)
    }
  }

  /// Returns all links, the newest first.
  package func allLinks() async throws(KennelError) -> [SecretLink] {
    try await database.read { connection throws(KennelError) in
      let ids = try connection.rows("SELECT id FROM links ORDER BY id DESC") { $0.integer(0) }
      return try Self.links(ids, from: connection)
    }
  }

  /// Revokes a link. It does not work any more with the next request.
  ///
  /// - Throws: `noSuchLink`, or `notAllowed` if the user may not share the target.
  package func revokeLink(
    _ id: SecretLink.ID, to target: SecretLink.Target, by user: User.ID
  ) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.requireLinkPermission(user, target, connection)
      let count = try connection.run(
        "DELETE FROM links WHERE id = ? AND post IS NOT DISTINCT FROM ? AND album IS NOT DISTINCT FROM ?",
        .integer(id), target.post, target.album
      )
      guard count > 0 else { throw KennelError.noSuchSecretLink }
    }
  }

  /// Revokes a link without checking permissions, for the command line.
  package func revokeLink(_ id: SecretLink.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      let count = try transaction.connection.run("DELETE FROM links WHERE id = ?", .integer(id))
      guard count > 0 else { throw KennelError.noSuchSecretLink }
    }
  }

  /// Returns the link with a token, also if it has expired, or nil if there is none.
  package func link(_ token: SecretToken<SecretLink>) async throws(KennelError) -> SecretLink? {
    let digest = token.digest
    return try await database.read { connection throws(KennelError) in
      let id = try connection.first("SELECT id FROM links WHERE token = ?", .blob(digest)) { $0.integer(0) }
      return try id.flatMap { id throws(KennelError) in try Self.link(id, from: connection) }
    }
  }

  private static func link(
    _ id: SecretLink.ID, from connection: any RecordConnection
  ) throws(KennelError) -> SecretLink? {
    try connection.first(
      """
      SELECT l.id, l.post, l.album, u.name, l.created, l.expires
      FROM links l JOIN users u ON u.id = l.maker LEFT JOIN posts p ON p.id = l.post
      WHERE l.id = ? AND (l.album IS NOT NULL OR p.id IS NOT NULL AND p.binned IS NULL)
      """, .integer(id)
    ) { row in
      SecretLink(
        id: row.integer(0), target: row.isNull(2) ? .post(row.integer(1)) : .album(row.integer(2)),
        maker: row.text(3), created: Date(milliseconds: row.integer(4)),
        expires: row.isNull(5) ? nil : Date(milliseconds: row.integer(5)))
    }
  }

  private static func links(
    _ ids: [SecretLink.ID], from connection: any RecordConnection
  ) throws(KennelError) -> [SecretLink] {
    var links: [SecretLink] = []
    for id in ids {
      if let link = try link(id, from: connection) { links.append(link) }
    }
    return links
  }

  private static func requireLinkPermission(
    _ user: User.ID, _ target: SecretLink.Target, _ connection: any RecordConnection
  ) throws(KennelError) {
    switch target {
    case .post(let id):
      let author = try author(of: id, connection)
      try require(user, oneOf: [author], to: "share this with a link", connection)
    case .album(let id):
      let owner = try connection.first("SELECT owner FROM albums WHERE id = ?", .integer(id)) {
        $0.integer(0)
      }
      guard let owner else { throw KennelError.noSuchAlbum }
      try requireEditor(user, ofAlbumOf: owner, to: "share it with a link", connection)
    }
  }
}

extension KennelError {
  static let noSuchSecretLink = KennelError(.noSuchLink, "The link does not exist. It may have been revoked.")
}
