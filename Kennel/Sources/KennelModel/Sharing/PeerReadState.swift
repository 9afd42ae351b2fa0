import KennelStorage

/// The keys under which the posts of another kennel are remembered.
///
/// Any server can claim to be any kennel. Therefore, the read position is stored per address: a false claim may skip
/// posts at that address, but not at the address of the real kennel. A kennel that moves is read from its beginning.
/// This creates no duplicates, because the posts that were taken are stored per kennel.
package struct PeerKey: Sendable, Hashable {
  /// The key for the posts that were taken: the kennel's identity, or its address if it does not send an identity.
  let kennel: String
  /// The key for the read position: the kennel's identity and its address.
  let readPositionKey: String

  init(_ identity: KennelIdentity, at address: String) {
    // An address never contains this character.
    kennel = "#\(identity)"
    readPositionKey = "\(kennel) \(address)"
  }

  package init(address: String) {
    kennel = address
    readPositionKey = address
  }
}

/// The read position in another kennel's posts.
package struct PeerReadState: Sendable, Hashable {
  package var key: PeerKey
  package var cursor: Int64
  /// Whether this kennel was read at this address before.
  package var isKnown: Bool
  /// Whether another kennel was at this address before.
  package var isReplacement = false
}

extension Posts {
  /// Returns what is stored for the kennel that was last seen at an address. A different kennel may be there now.
  package func readState(at address: String) async throws(KennelError) -> PeerReadState {
    try await database.read { connection throws(KennelError) in
      let here = try PeerReadState.Place(address, connection)
      let key = here?.identity.map { PeerKey($0, at: address) } ?? PeerKey(address: address)
      return PeerReadState(
        key: key, cursor: try PeerReadState.cursor(of: key, connection) ?? 0, isKnown: here != nil)
    }
  }

  /// Returns what is stored for a kennel that has sent its identity, and records that it is at this address now.
  ///
  /// - Parameter lineage: nil for a kennel that sends no identity. It is then identified by its address.
  /// - Throws: `badAddress` if the address is that of this kennel.
  package func recordIdentity(_ lineage: KennelLineage?, at address: String) async throws(KennelError)
    -> PeerReadState
  {
    try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      let here = try PeerReadState.Place(address, connection)
      guard let lineage else { return try PeerReadState.recordMissingIdentity(at: address, here, connection) }
      return try PeerReadState.recordIdentity(lineage, at: address, here, connection)
    }
  }

  /// Advances the read position. It never goes back.
  package func advanceCursor(to id: Int64, of key: PeerKey) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      try PeerReadState.advance(to: id, of: key, transaction.connection)
    }
  }
}

extension PeerReadState {
  /// The stored state of an address.
  struct Place: Sendable {
    /// The read position of a kennel without an identity.
    var cursor: Int64
    /// The last known kennel at the address, if it sent an identity.
    var identity: KennelIdentity?

    init?(_ address: String, _ connection: any RecordConnection) throws(KennelError) {
      let found = try connection.first(
        "SELECT cursor, identity FROM peers WHERE name = ?", .text(address)
      ) { ($0.integer(0), $0.isNull(1) ? nil : KennelIdentity(bytes: $0.blob(1))) }
      guard let found else { return nil }
      (cursor, identity) = found
    }
  }

  static func cursor(of key: PeerKey, _ connection: any RecordConnection) throws(KennelError) -> Int64? {
    try connection.first("SELECT cursor FROM peers WHERE name = ?", .text(key.readPositionKey)) {
      $0.integer(0)
    }
  }

  static func advance(to id: Int64, of key: PeerKey, _ connection: any RecordConnection) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO peers (name, cursor) VALUES (?1, ?2)
      ON CONFLICT (name) DO UPDATE SET cursor = CASE WHEN peers.cursor > ?2 THEN peers.cursor ELSE ?2 END
      """, .text(key.readPositionKey), .integer(id))
  }

  fileprivate static func recordMissingIdentity(
    at address: String, _ here: Place?, _ connection: any RecordConnection
  ) throws(KennelError) -> PeerReadState {
    // A kennel that has once sent its identity always sends it, so this is a different kennel.
    let isReplacement = here?.identity != nil
    if isReplacement { try connection.run("UPDATE peers SET identity = NULL WHERE name = ?", .text(address)) }
    return PeerReadState(
      key: PeerKey(address: address), cursor: here?.cursor ?? 0, isKnown: here != nil && !isReplacement,
      isReplacement: isReplacement)
  }

  fileprivate static func recordIdentity(
    _ lineage: KennelLineage, at address: String, _ here: Place?, _ connection: any RecordConnection
  ) throws(KennelError) -> PeerReadState {
    let own = try KennelLineage(connection)
    guard lineage.identity != own.identity else {
      throw KennelError(
        .badAddress,
        "The address belongs to this kennel itself. Use the address of another kennel.")
    }
    let key = PeerKey(lineage.identity, at: address)
    let before = try cursor(of: key, connection)
    var start: Int64
    if let before { start = before } else { start = try inherited(lineage, own, at: address, connection) }
    if let here, here.identity == nil {
      // The kennel did not send an identity until now, like older versions, so it was remembered by its address.
      start = max(start, here.cursor)
      try connection.run(
        "INSERT INTO taken (peer, remote) SELECT ?1, remote FROM taken WHERE peer = ?2 ON CONFLICT DO NOTHING",
        .text(key.kennel), .text(address))
      try connection.run("DELETE FROM taken WHERE peer = ?", .text(address))
    }
    try advance(to: start, of: key, connection)
    try connection.run(
      """
      INSERT INTO peers (name, cursor, identity) VALUES (?1, 0, ?2)
      ON CONFLICT (name) DO UPDATE SET cursor = 0, identity = ?2
      """, .text(address), .blob(lineage.identity.bytes))
    let isReplacement = here?.identity.map { !lineage.isOrWas($0) } ?? false
    return PeerReadState(key: key, cursor: start, isKnown: before != nil, isReplacement: isReplacement)
  }

  /// Returns the number up to which the posts of a newly known kennel are already here: this kennel's own posts, and
  /// posts taken from its ancestors.
  private static func inherited(
    _ lineage: KennelLineage, _ own: KennelLineage, at address: String, _ connection: any RecordConnection
  ) throws(KennelError) -> Int64 {
    var start = lineage.common(with: own)
    for ancestor in lineage.ancestors {
      let key = PeerKey(ancestor.identity, at: address)
      let read =
        if let here = try cursor(of: key, connection) { here } else { try lowestCursor(of: key, connection) }
      start = max(start, min(read, ancestor.through))
    }
    return start
  }

  /// Returns the lowest read position of a kennel over all addresses. A server that falsely claims to be the kennel
  /// cannot raise it above the position of the real one.
  private static func lowestCursor(of key: PeerKey, _ connection: any RecordConnection) throws(KennelError)
    -> Int64
  {
    let prefix = key.kennel + " "
    return try connection.first(
      "SELECT coalesce(min(cursor), 0) FROM peers WHERE substr(name, 1, CAST(? AS INTEGER)) = ?",
      .integer(Int64(prefix.utf8.count)), .text(prefix)
    ) { $0.integer(0) } ?? 0
  }
}
