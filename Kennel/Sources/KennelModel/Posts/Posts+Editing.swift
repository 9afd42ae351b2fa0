import Foundation
import KennelStorage

/// A change of a post by its author or an owner. Properties that are nil stay as they are.
package struct PostChange: Sendable, Hashable {
  package var caption: String?
  package var taken: TakenTime?

  package init(caption: String? = nil, taken: TakenTime? = nil) {
    self.caption = caption
    self.taken = taken
  }
}

extension Posts {
  /// Changes a post. If it already has these properties, nothing changes.
  ///
  /// - Throws: `badText`, `badDate`, `noSuchPost`, or `notAllowed` if the user is neither its author nor an owner.
  package func edit(
    _ id: Post.ID, _ change: PostChange, by user: User.ID
  ) async throws(KennelError) -> Post {
    let now = clock.now()
    if let caption = change.caption { try TextRules.check(caption, TextRules.caption, name: "caption") }
    if let taken = change.taken, !taken.isPossible(now: now) {
      throw KennelError(
        .badDate, "A photo cannot have been taken at that time. Use a date from 1826 until today.")
    }
    return try await database.write { [changes] transaction throws(KennelError) in
      let connection = transaction.connection
      try Self.require(user, oneOf: [try Self.author(of: id, connection)], connection)
      var isChanged = false
      if let caption = change.caption {
        isChanged =
          try connection.run(
            "UPDATE posts SET caption = ?2 WHERE id = ?1 AND caption IS DISTINCT FROM ?2", .integer(id),
            .text(caption))
          > 0
      }
      if let taken = change.taken {
        if try Self.setTaken(taken, of: id, connection) { isChanged = true }
        // What the file says no longer matters.
        try connection.run("DELETE FROM undated WHERE post = ?", .integer(id))
      }
      if isChanged {
        try connection.run(
          "UPDATE posts SET edited = ? WHERE id = ?", .integer(now.milliseconds), .integer(id))
        try changes.record(.edited, post: id, at: now, in: transaction)
      }
      guard let post = try Self.post(id, for: user, from: connection) else { throw Self.noSuchPost }
      return post
    }
  }
}
