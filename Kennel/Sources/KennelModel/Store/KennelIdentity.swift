import KennelStorage

/// The identity of a kennel, independent of its address: a unique random number that is created with the database and
/// stored in it. It is not a secret.
package struct KennelIdentity: Sendable, Hashable, CustomStringConvertible {
  private static let byteCount = 16

  let bytes: [UInt8]

  static func random() -> KennelIdentity { KennelIdentity(unchecked: Sodium.randomBytes(byteCount)) }

  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Creates an identity from 32 lowercase hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text, count: Self.byteCount) else { return nil }
    self.bytes = bytes
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// The identity as 32 lowercase hexadecimal digits.
  package var description: String { Hexadecimal.text(bytes) }
}

/// The identity of a kennel and its ancestors: the identities it had before it was restored.
///
/// A restored backup is a new kennel, because the kennel it was made from may continue to run. Both have the same posts
/// up to a number. A peer that has taken these posts from one of them need not take them from the other.
package struct KennelLineage: Sendable, Hashable {
  package struct Ancestor: Sendable, Hashable {
    package var identity: KennelIdentity
    /// The number of the last post that both kennels share.
    package var through: Int64

    package init(identity: KennelIdentity, through: Int64) {
      self.identity = identity
      self.through = through
    }
  }

  /// The maximum number of ancestors that are sent and accepted.
  package static let maximumAncestorCount = 32

  package var identity: KennelIdentity
  /// The ancestors, the latest first.
  package var ancestors: [Ancestor]

  package init(identity: KennelIdentity, ancestors: [Ancestor] = []) {
    self.identity = identity
    self.ancestors = ancestors
  }

  /// The kennel itself, which has all numbers, and its ancestors.
  private var all: [Ancestor] { [Ancestor(identity: identity, through: .max)] + ancestors }

  /// Returns the number up to which another kennel has the same posts, or 0 if it shares none.
  func common(with other: KennelLineage) -> Int64 {
    var through: Int64 = 0
    for one in all {
      for another in other.all where one.identity == another.identity {
        through = max(through, min(one.through, another.through))
      }
    }
    return through
  }

  /// Returns the identity of the kennel in which a post got its number.
  package func identity(ofPost id: Int64) -> KennelIdentity {
    ancestors.last { $0.through >= id }?.identity ?? identity
  }

  func isOrWas(_ identity: KennelIdentity) -> Bool { all.contains { $0.identity == identity } }
}

// MARK: In the database

extension KennelStore {
  /// Returns the identity of this kennel and its ancestors.
  package func lineage() async throws(KennelError) -> KennelLineage {
    try await database.read { connection throws(KennelError) in try KennelLineage(connection) }
  }

  /// Gives a restored store a new identity and makes the backup's identity an ancestor.
  ///
  /// - Parameter directory: the directory of the restored store, which has been opened once.
  static func beginLineage(in directory: String) throws(KennelError) {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .copying, busyTimeout: .zero)
    try connection.run("BEGIN IMMEDIATE")
    try connection.run(
      """
      UPDATE identities SET through = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'posts'), 0)
      WHERE through IS NULL
      """)
    try KennelLineage.begin(connection)
    try KennelKey.remove(connection)
    try connection.run("COMMIT")
  }
}

extension KennelLineage {
  /// Creates an identity if there is none.
  static func begin(_ connection: any RecordConnection) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO identities (identity) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM identities WHERE through IS NULL)
      """, .blob(KennelIdentity.random().bytes))
  }

  init(_ connection: any RecordConnection) throws(KennelError) {
    let rows = try connection.rows(
      "SELECT identity, through FROM identities ORDER BY through IS NULL DESC, number DESC LIMIT ?",
      .integer(Int64(Self.maximumAncestorCount + 1))
    ) { (KennelIdentity(bytes: $0.blob(0)), $0.integer(1)) }
    guard let identity = rows.first?.0 else {
      throw KennelError(.damaged, "The database has no kennel identity. Restore a backup.")
    }
    self.init(identity: identity)
    ancestors = rows.dropFirst().compactMap { row in
      row.0.map { Ancestor(identity: $0, through: row.1) }
    }
  }
}
