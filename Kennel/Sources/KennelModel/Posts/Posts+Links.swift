import Foundation
import KennelStorage

/// A secret link: people without an account see one photo with it.
package struct SecretLink: Sendable, Hashable, Identifiable {
  package var id: Int64
  package var post: Post.ID
  /// The name of the user who made it.
  package var maker: String
  package var created: Date
  /// The date from which it does not work any more, or nil for a link without an end.
  package var expires: Date?

  package func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }
}

extension Posts {
  /// The lifetime of a link if its maker chooses none.
  package static let defaultLinkLifetime = Duration.seconds(7 * 24 * 3600)
  /// The maximum number of links to a post.
  static let maximumLinkCount = 100
  /// How long an expired link is listed.
  private static let expiredLinkRetention: TimeInterval = 30 * 24 * 3600

  /// Makes a link to a post. Its token is returned only here.
  ///
  /// - Parameter lifetime: how long it works, or nil for a link without an end.
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is neither the author nor an owner, or if there are too many links.
  package func makeLink(
    to post: Post.ID, by user: User.ID, lifetime: Duration?
  ) async throws(KennelError) -> (link: SecretLink, token: SecretToken<SecretLink>) {
    let now = clock.now()
    let token = SecretToken<SecretLink>()
    let expires = lifetime.map { now.addingTimeInterval(TimeInterval($0.components.seconds)) }
    let link = try await database.write { transaction throws(KennelError) -> SecretLink in
      let connection = transaction.connection
      try Self.requireLinkPermission(user, post: post, connection)
      let end = now.addingTimeInterval(-Self.expiredLinkRetention)
      try connection.run("DELETE FROM links WHERE expires < ?", .integer(end.milliseconds))
      let count = try connection.first("SELECT count(*) FROM links WHERE post = ?", .integer(post)) {
        Int($0.integer(0))
      }
      guard (count ?? 0) < Self.maximumLinkCount else {
        throw KennelError(
          .notAllowed, "The photo has \(Self.maximumLinkCount) links already. Revoke one of them first.")
      }
      try connection.run(
        "INSERT INTO links (token, post, maker, created, expires) VALUES (?, ?, ?, ?, ?)",
        .blob(token.digest), .integer(post), .integer(user), .integer(now.milliseconds),
        expires.map { .integer($0.milliseconds) } ?? .null)
      let id = connection.lastInsertedID
      guard let link = try Self.link(id, from: connection) else { throw KennelError.noSuchSecretLink }
      return link
    }
    return (link, token)
  }

  /// Returns the links to a post, the newest first, also those that have expired recently.
  ///
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is neither the author nor an owner.
  package func links(to post: Post.ID, for user: User.ID) async throws(KennelError) -> [SecretLink] {
    try await database.read { connection throws(KennelError) in
      try Self.requireLinkPermission(user, post: post, connection)
      let ids = try connection.rows(
        "SELECT id FROM links WHERE post = ? ORDER BY id DESC", .integer(post)
      ) { $0.integer(0) }
      return try Self.links(ids, from: connection)
    }
  }

  /// Returns all links to all posts, the newest first.
  package func allLinks() async throws(KennelError) -> [SecretLink] {
    try await database.read { connection throws(KennelError) in
      let ids = try connection.rows("SELECT id FROM links ORDER BY id DESC") { $0.integer(0) }
      return try Self.links(ids, from: connection)
    }
  }

  /// Revokes a link. It does not work any more with the next request.
  ///
  /// - Throws: `noSuchLink`, or `notAllowed` if the user is neither the author nor an owner.
  package func revokeLink(
    _ id: SecretLink.ID, to post: Post.ID, by user: User.ID
  ) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.requireLinkPermission(user, post: post, connection)
      let count = try connection.run(
        "DELETE FROM links WHERE id = ? AND post = ?", .integer(id), .integer(post))
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
    _ id: SecretLink.ID, from connection: Connection
  ) throws(KennelError) -> SecretLink? {
    try connection.first(
      """
      SELECT l.id, l.post, u.name, l.created, l.expires
      FROM links l JOIN users u ON u.id = l.maker JOIN posts p ON p.id = l.post
      WHERE l.id = ? AND p.binned IS NULL
      """, .integer(id)
    ) { row in
      SecretLink(
        id: row.integer(0), post: row.integer(1), maker: row.text(2),
        created: Date(milliseconds: row.integer(3)),
        expires: row.isNull(4) ? nil : Date(milliseconds: row.integer(4)))
    }
  }

  private static func links(
    _ ids: [SecretLink.ID], from connection: Connection
  ) throws(KennelError) -> [SecretLink] {
    var links: [SecretLink] = []
    for id in ids {
      if let link = try link(id, from: connection) { links.append(link) }
    }
    return links
  }

  private static func requireLinkPermission(
    _ user: User.ID, post: Post.ID, _ connection: Connection
  ) throws(KennelError) {
    let author = try author(of: post, connection)
    try require(user, oneOf: [author], to: "share this with a link", connection)
  }
}

extension KennelError {
  static let noSuchSecretLink = KennelError(.noSuchLink, "The link does not exist. It may have been revoked.")
}
