/// Which kennel it is, wherever it is reached: a number that nobody else has, made with the database and kept in it. It is
/// no secret.
package struct KennelIdentity: Sendable, Hashable, CustomStringConvertible {
  private static let byteCount = 16

  let bytes: [UInt8]

  static func random() -> KennelIdentity { KennelIdentity(unchecked: Sodium.randomBytes(byteCount)) }

  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// From 32 hexadecimal digits in lower case.
  init?(_ text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text, count: Self.byteCount) else { return nil }
    self.bytes = bytes
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// 32 hexadecimal digits in lower case.
  package var description: String { Hexadecimal.text(bytes) }
}

/// A kennel, and those it was before it was restored.
///
/// A restored backup is a kennel of its own: the one it was made of may live on beside it. But up to a number, the posts of
/// both are the same ones. So who has taken them from one need not take them from the other.
package struct KennelLineage: Sendable, Hashable {
  package struct Ancestor: Sendable, Hashable {
    package var identity: KennelIdentity
    /// The last number of a post of both.
    package var through: Int64
  }

  /// How many ancestors are told of, and listened to.
  static let limit = 32

  package var identity: KennelIdentity
  /// The latest first.
  package var ancestors: [Ancestor] = []

  /// Itself, which has all numbers, and those it was.
  private var all: [Ancestor] { [Ancestor(identity: identity, through: .max)] + ancestors }

  /// Through which number its posts are those of another one too; 0 where none are.
  func common(with other: KennelLineage) -> Int64 {
    var through: Int64 = 0
    for one in all {
      for another in other.all where one.identity == another.identity {
        through = max(through, min(one.through, another.through))
      }
    }
    return through
  }

  func isOrWas(_ identity: KennelIdentity) -> Bool { all.contains { $0.identity == identity } }
}

// MARK: In the database

extension KennelStore {
  /// Which kennel this is.
  package func lineage() async throws(KennelError) -> KennelLineage {
    try await database.read { connection throws(KennelError) in try KennelLineage(connection) }
  }

  /// From now on it is another kennel than the one that the backup was made of.
  ///
  /// - Parameter directory: where it was unpacked, and opened once.
  static func beginLineage(in directory: String) throws(KennelError) {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .copying, patience: .zero)
    try connection.run("BEGIN IMMEDIATE")
    try connection.run(
      """
      UPDATE identities SET through = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'posts'), 0)
      WHERE through IS NULL
      """)
    try KennelLineage.begin(connection)
    try connection.run("COMMIT")
  }
}

extension KennelLineage {
  /// Makes an identity where there is none.
  static func begin(_ connection: Connection) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO identities (identity) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM identities WHERE through IS NULL)
      """, .blob(KennelIdentity.random().bytes))
  }

  init(_ connection: Connection) throws(KennelError) {
    let rows = try connection.rows(
      "SELECT identity, through FROM identities ORDER BY through IS NULL DESC, number DESC LIMIT ?",
      .integer(Int64(Self.limit + 1))
    ) { (KennelIdentity(bytes: $0.blob(0)), $0.integer(1)) }
    guard let identity = rows.first?.0 else {
      throw KennelError(.damaged, "The database does not say which kennel it is. Put a backup in its place.")
    }
    self.init(identity: identity)
    ancestors = rows.dropFirst().compactMap { row in
      row.0.map { Ancestor(identity: $0, through: row.1) }
    }
  }
}
