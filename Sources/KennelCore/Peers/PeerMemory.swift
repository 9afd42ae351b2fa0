/// Under what the posts of another kennel are remembered.
///
/// Anybody can say that they are some kennel. So how far it was read holds for one address only: where somebody else says
/// so, numbers may be passed over, but not where the kennel itself is. One that moves is read from its beginning, which
/// brings nothing twice, for what was taken is known wherever it comes from.
package struct PeerKey: Sendable, Hashable {
  /// Of what was taken: which kennel it is, or where, for one that does not tell.
  let kennel: String
  /// Of how far it was read: where it is as well.
  let reading: String

  init(_ identity: KennelIdentity, at address: String) {
    // No address has this character.
    kennel = "#\(identity)"
    reading = "\(kennel) \(address)"
  }

  package init(address: String) {
    kennel = address
    reading = address
  }
}

/// Up to which number another kennel's posts have been dealt with.
struct PeerMemory: Sendable, Hashable {
  var key: PeerKey
  var cursor: Int64
  /// Whether this kennel was ever read there.
  var isKnown: Bool
  /// Whether another kennel was at this address before.
  var isReplacement = false
}

extension Posts {
  /// What is remembered of the kennel that was at an address last: it may be another one by now.
  func memory(at address: String) async throws(KennelError) -> PeerMemory {
    try await database.read { connection throws(KennelError) in
      let here = try PeerMemory.Place(address, connection)
      let key = here?.identity.map { PeerKey($0, at: address) } ?? PeerKey(address: address)
      return PeerMemory(
        key: key, cursor: try PeerMemory.cursor(of: key, connection) ?? 0, isKnown: here != nil)
    }
  }

  /// What is remembered of a kennel that has said which one it is, and that it is at this address now.
  ///
  /// - Parameter lineage: nil for one that does not say so: then it is the one at this address.
  /// - Throws: `badAddress` for this kennel itself.
  func meet(_ lineage: KennelLineage?, at address: String) async throws(KennelError) -> PeerMemory {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      let here = try PeerMemory.Place(address, connection)
      guard let lineage else { return try PeerMemory.meetUnnamed(at: address, here, connection) }
      return try PeerMemory.meet(lineage, at: address, here, connection)
    }
  }

  /// Never goes back.
  func advanceCursor(to id: Int64, of key: PeerKey) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      try PeerMemory.advance(to: id, of: key, transaction.connection)
    }
  }
}

extension PeerMemory {
  /// What is known of an address.
  struct Place: Sendable {
    /// Of the kennel that does not say which one it is.
    var cursor: Int64
    /// Which kennel was there last, if it said so.
    var identity: KennelIdentity?

    init?(_ address: String, _ connection: Connection) throws(KennelError) {
      let found = try connection.first(
        "SELECT cursor, identity FROM peers WHERE name = ?", .text(address)
      ) { ($0.integer(0), $0.isNull(1) ? nil : KennelIdentity(bytes: $0.blob(1))) }
      guard let found else { return nil }
      (cursor, identity) = found
    }
  }

  static func cursor(of key: PeerKey, _ connection: Connection) throws(KennelError) -> Int64? {
    try connection.first("SELECT cursor FROM peers WHERE name = ?", .text(key.reading)) { $0.integer(0) }
  }

  static func advance(to id: Int64, of key: PeerKey, _ connection: Connection) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO peers (name, cursor) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET cursor = max(cursor, ?2)
      """, .text(key.reading), .integer(id))
  }

  fileprivate static func meetUnnamed(
    at address: String, _ here: Place?, _ connection: Connection
  ) throws(KennelError) -> PeerMemory {
    // One that has said which one it is goes on to do so.
    let isReplacement = here?.identity != nil
    if isReplacement { try connection.run("UPDATE peers SET identity = NULL WHERE name = ?", .text(address)) }
    return PeerMemory(
      key: PeerKey(address: address), cursor: here?.cursor ?? 0, isKnown: here != nil && !isReplacement,
      isReplacement: isReplacement)
  }

  fileprivate static func meet(
    _ lineage: KennelLineage, at address: String, _ here: Place?, _ connection: Connection
  ) throws(KennelError) -> PeerMemory {
    let own = try KennelLineage(connection)
    guard lineage.identity != own.identity else {
      throw KennelError(
        .badAddress,
        "That is the address of this kennel itself: it has all of its own posts. Give another kennel's.")
    }
    let key = PeerKey(lineage.identity, at: address)
    let before = try cursor(of: key, connection)
    var start: Int64
    if let before { start = before } else { start = try inherited(lineage, own, at: address, connection) }
    if let here, here.identity == nil {
      // It did not say which one it is until now, as kennels of before: it was remembered by its address.
      start = max(start, here.cursor)
      try connection.run(
        "UPDATE OR IGNORE taken SET peer = ? WHERE peer = ?", .text(key.kennel), .text(address))
      try connection.run("DELETE FROM taken WHERE peer = ?", .text(address))
    }
    try advance(to: start, of: key, connection)
    try connection.run(
      """
      INSERT INTO peers (name, cursor, identity) VALUES (?1, 0, ?2)
      ON CONFLICT (name) DO UPDATE SET cursor = 0, identity = ?2
      """, .text(address), .blob(lineage.identity.bytes))
    let isReplacement = here?.identity.map { !lineage.isOrWas($0) } ?? false
    return PeerMemory(key: key, cursor: start, isKnown: before != nil, isReplacement: isReplacement)
  }

  /// Through which number the posts of a new acquaintance are here already: those that are this kennel's own, and those
  /// that were taken from one that it was.
  private static func inherited(
    _ lineage: KennelLineage, _ own: KennelLineage, at address: String, _ connection: Connection
  ) throws(KennelError) -> Int64 {
    var start = lineage.common(with: own)
    for ancestor in lineage.ancestors {
      let key = PeerKey(ancestor.identity, at: address)
      let read =
        if let here = try cursor(of: key, connection) { here } else { try leastCursor(of: key, connection) }
      start = max(start, min(read, ancestor.through))
    }
    return start
  }

  /// How far a kennel was read at all addresses: who says to be it and is not cannot raise that where it was read itself.
  private static func leastCursor(of key: PeerKey, _ connection: Connection) throws(KennelError) -> Int64 {
    let prefix = key.kennel + " "
    return try connection.first(
      "SELECT coalesce(min(cursor), 0) FROM peers WHERE substr(name, 1, ?) = ?",
      .integer(Int64(prefix.utf8.count)), .text(prefix)
    ) { $0.integer(0) } ?? 0
  }
}
