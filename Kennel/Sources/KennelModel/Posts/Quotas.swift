import KennelStorage

/// The limits on how many bytes the photos of each user may take.
///
/// The files of all posts of a user count, with what was taken out of them, also while a post is in the bin: they take space on
/// the disk until the post is deleted forever. A file that a user posted twice counts once. Uploads are refused when they would
/// exceed the limit. Imports and copies from other kennels, which the owner of the machine starts, count but are not refused.
package struct Quotas: Sendable {
  private let database: any Records

  package init(_ database: any Records) { self.database = database }

  /// Returns what the photos of a user take and may take.
  ///
  /// - Throws: `noSuchUser`.
  package func usage(of user: User.ID) async throws(KennelError) -> QuotaUsage {
    try await database.read { connection throws(KennelError) in try Self.usage(of: user, connection) }
  }

  /// Returns what the photos of each user take and may take.
  package func usages() async throws(KennelError) -> [User.ID: QuotaUsage] {
    try await database.read { connection throws(KennelError) in
      let users = try connection.rows("SELECT id FROM users LIMIT 10000") { $0.integer(0) }
      var usages: [User.ID: QuotaUsage] = [:]
      for user in users { usages[user] = try Self.usage(of: user, connection) }
      return usages
    }
  }

  /// Refuses an upload that would exceed the user's quota. It is checked again when the photo is posted.
  ///
  /// - Parameter byteCount: the announced number of bytes, or less.
  /// - Throws: `quotaExceeded` or `noSuchUser`.
  package func requireRoom(for byteCount: Int64, of user: User.ID) async throws(KennelError) {
    try await database.read { connection throws(KennelError) in
      guard let limit = try Self.quota(of: user, connection).bytes else { return }
      try Self.requireRoom(for: byteCount, within: limit, of: user, connection)
    }
  }

  /// Refuses a new photo that would exceed the user's quota. The write lock must be held, so that concurrent uploads are
  /// counted.
  static func requireRoom(
    for photo: NewPhoto, of user: User.ID, _ connection: any RecordConnection
  ) throws(KennelError) {
    guard let limit = try quota(of: user, connection).bytes else { return }
    var byteCount: Int64 = 0
    for file in [photo.file, photo.part].compactMap({ $0 }) {
      let hasFile = try connection.first(
        "SELECT 1 FROM posts WHERE author = ?1 AND (photo = ?2 OR part = ?2)", .integer(user),
        .blob(file.hash.bytes), row: { _ in true })
      if hasFile == nil { byteCount += Int64(file.byteCount) }
    }
    try requireRoom(for: byteCount, within: limit, of: user, connection)
  }

  private static func requireRoom(
    for byteCount: Int64, within limit: Int64, of user: User.ID, _ connection: any RecordConnection
  ) throws(KennelError) {
    let used = try bytes(of: user, connection)
    let (total, overflows) = used.addingReportingOverflow(max(byteCount, 0))
    guard overflows || total > limit else { return }
    let usage = QuotaUsage(used: used, quota: .bytes(limit))
    throw KennelError(
      .quotaExceeded,
      "There is no room for this photo: your photos take \(usage.words), and this one has "
        + "\(ByteSize(bytes: byteCount).words). Delete photos, also from the bin, or ask an owner for more space."
    )
  }

  // MARK: Deciding

  /// What an owner has decided for a user.
  package func decision(for user: User.ID) async throws(KennelError) -> QuotaDecision {
    try await database.read { connection throws(KennelError) in
      QuotaDecision(
        own: try Self.ownQuota(of: user, connection), standard: Quota(try Self.defaultBytes(connection)),
        used: try Self.bytes(of: user, connection))
    }
  }

  /// The quota of all users without a quota of their own.
  package func defaultQuota() async throws(KennelError) -> Quota {
    try await database.read { connection throws(KennelError) in Quota(try Self.defaultBytes(connection)) }
  }

  /// Sets the quota of all users without a quota of their own. Nothing is deleted if their photos take more.
  package func setDefault(_ quota: Quota) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) -> Void in
      try transaction.connection.run(
        """
        INSERT INTO decisions (name, value) VALUES ('quota', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """, .text(quota.bytes.map { String($0) } ?? "none"))
    }
  }

  /// Sets the quota of a user. Nothing is deleted if the photos take more.
  ///
  /// - Parameter quota: nil for the default.
  /// - Throws: `noSuchUser`.
  package func set(_ quota: Quota?, of user: User.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) -> Void in
      let connection = transaction.connection
      guard let quota else {
        try connection.run(#"DELETE FROM quotas WHERE "user" = ?"#, .integer(user))
        return
      }
      do throws(KennelError) {
        try connection.run(
          """
          INSERT INTO quotas ("user", bytes) VALUES (?, ?)
          ON CONFLICT ("user") DO UPDATE SET bytes = excluded.bytes
          """, .integer(user), quota.bytes.map { .integer($0) } ?? .null)
      } catch  where error.isMissingReference {
        throw KennelError.noSuchUser
      }
    }
  }

  // MARK: Reading

  private static func usage(of user: User.ID, _ connection: any RecordConnection) throws(KennelError)
    -> QuotaUsage
  {
    QuotaUsage(used: try bytes(of: user, connection), quota: try quota(of: user, connection))
  }

  private static func quota(of user: User.ID, _ connection: any RecordConnection) throws(KennelError) -> Quota
  {
    if let own = try ownQuota(of: user, connection) { return own }
    return Quota(try defaultBytes(connection))
  }

  /// Returns nil for a user who has the default.
  private static func ownQuota(
    of user: User.ID, _ connection: any RecordConnection
  ) throws(KennelError) -> Quota? {
    try connection.first(#"SELECT bytes FROM quotas WHERE "user" = ?"#, .integer(user)) {
      Quota($0.isNull(0) ? nil : $0.integer(0))
    }
  }

  private static func defaultBytes(_ connection: any RecordConnection) throws(KennelError) -> Int64? {
    let text = try connection.first("SELECT value FROM decisions WHERE name = 'quota'") { $0.text(0) }
    return text.flatMap { Int64($0) }
  }

  private static func bytes(of user: User.ID, _ connection: any RecordConnection) throws(KennelError) -> Int64
  {
    try connection.first(
      """
      SELECT (SELECT coalesce(sum(bytes), 0) FROM photos
          WHERE hash IN (SELECT photo FROM posts WHERE author = ?1))
        + (SELECT coalesce(sum(bytes), 0) FROM parts WHERE hash IN (SELECT part FROM posts WHERE author = ?1))
      """, .integer(user)
    ) { $0.integer(0) } ?? 0
  }
}
