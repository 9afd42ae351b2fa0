import KennelStorage

/// Who may see the photos of a kennel.
package enum Visibility: String, Sendable, Hashable {
  /// People with an account. Every new kennel begins like this.
  case people
  /// Everyone who reaches the server.
  case everyone
  /// Everyone, because the kennel was made before there was a choice, and its owner has not decided yet.
  case undecided

  package var isOpenToEveryone: Bool { self != .people }
}

extension KennelStore {
  /// Returns who may see the photos, by the latest decision of any process. As long as nothing is committed, this takes no
  /// query.
  package func visibility() async throws(KennelError) -> Visibility {
    let mark = database.commitMark
    if let known = latestVisibility.withLock({ $0.value(at: mark) }) { return known }
    let text = try await database.read { connection throws(KennelError) in
      try connection.first("SELECT value FROM decisions WHERE name = 'visibility'") { $0.text(0) }
    }
    // A later version may know other values. Private is the safe choice for all of them.
    let visibility = text.flatMap(Visibility.init(rawValue:)) ?? .people
    latestVisibility.withLock { $0.store(visibility, readAfter: mark) }
    return visibility
  }

  /// Decides who may see the photos. Running servers follow with their next request.
  package func setVisibility(_ visibility: Visibility) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) -> Void in
      try transaction.connection.run(
        """
        INSERT INTO decisions (name, value) VALUES ('visibility', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """, .text(visibility.rawValue))
    }
  }
}
