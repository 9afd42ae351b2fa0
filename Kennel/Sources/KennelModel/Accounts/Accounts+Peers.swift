import Foundation
import KennelStorage

/// Another kennel that may take posts of this one.
package struct Peer: Sendable, Hashable {
  /// The name that the owner has given it.
  package var name: String
  package var created: Date
  /// The day on which it was here last, or nil if it was not here yet.
  package var lastUse: Date?
}

/// The token of another kennel, as text such as `kennel-…`.
package struct PeerToken: Sendable, Hashable, CustomStringConvertible {
  private static let prefix = "kennel-"
  fileprivate let token: SecretToken<Peer>

  fileprivate init() { token = SecretToken() }

  /// Creates a token from its text, or returns nil if the text is not a valid token.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix),
      let token = SecretToken<Peer>(String(text.dropFirst(Self.prefix.count)))
    else { return nil }
    self.token = token
  }

  package var text: String { Self.prefix + token.text }

  /// Hides the token, so that it does not get into a log.
  package var description: String { "PeerToken(…)" }

  /// Returns whether a text looks like a token of a kennel, so that it is not that of another program.
  package static func resembles(_ text: some StringProtocol) -> Bool { text.hasPrefix(prefix) }
}

extension Accounts {
  /// How exact the date of the last use is. Not every request of a peer writes to the disk.
  private static let lastUsePrecision: TimeInterval = 24 * 3600

  /// Allows another kennel to take posts. Its token is returned only here.
  ///
  /// - Throws: `badName`, or `nameTaken`.
  package func addPeer(_ name: String) async throws(KennelError) -> PeerToken {
    let name = try UserName(name)
    let token = PeerToken()
    let now = clock.now()
    try await database.write { transaction throws(KennelError) -> Void in
      do throws(KennelError) {
        try transaction.connection.run(
          "INSERT INTO peer_tokens (name, token, created) VALUES (?, ?, ?)", .text(name.text),
          .blob(token.token.digest), .integer(now.milliseconds))
      } catch  where error.isDuplicate {
        throw KennelError(
          .nameTaken,
          "There is a kennel with the name \(name.text) already. Choose another name, or remove it first.")
      }
    }
    return token
  }

  /// Returns the kennels that may take posts, by name.
  package func peers() async throws(KennelError) -> [Peer] {
    try await database.read { connection throws(KennelError) in
      try connection.rows("SELECT name, created, used FROM peer_tokens ORDER BY name") { row in
        Peer(
          name: row.text(0), created: Date(milliseconds: row.integer(1)),
          lastUse: row.isNull(2) ? nil : Date(milliseconds: row.integer(2)))
      }
    }
  }

  /// Withdraws the token of another kennel. It does not work any more with the next request.
  ///
  /// - Returns: whether there was a kennel with this name.
  package func removePeer(_ name: String) async throws(KennelError) -> Bool {
    try await database.write { transaction throws(KennelError) in
      try transaction.connection.run("DELETE FROM peer_tokens WHERE name = ?", .text(name)) > 0
    }
  }

  /// Returns the kennel with a token, or nil if there is none.
  package func peer(_ token: PeerToken) async throws(KennelError) -> Peer? {
    let digest = token.token.digest
    let found = try await database.read { connection throws(KennelError) in
      try connection.first("SELECT name, created, used FROM peer_tokens WHERE token = ?", .blob(digest)) {
        row in
        Peer(
          name: row.text(0), created: Date(milliseconds: row.integer(1)),
          lastUse: row.isNull(2) ? nil : Date(milliseconds: row.integer(2)))
      }
    }
    guard let found else { return nil }
    let now = clock.now()
    if now.timeIntervalSince(found.lastUse ?? .distantPast) > Self.lastUsePrecision {
      database.writeLater { transaction throws(KennelError) in
        try transaction.connection.run(
          "UPDATE peer_tokens SET used = ? WHERE token = ?", .integer(now.milliseconds), .blob(digest))
      }
    }
    return found
  }
}
