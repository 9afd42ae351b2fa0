extension KennelStore {
  /// More than are given between a backup and the day it is needed.
  private static let passedOver: Int64 = 100_000

  /// Has numbers go on well behind those of the backup: what was posted after it is lost, but browsers keep its pictures
  /// by its number.
  static func passOverNumbers(in directory: String) throws(KennelError) {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .copying, patience: .zero)
    for table in ["posts", "comments", "events"] {
      try connection.run(
        """
        INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
        """, .text(table))
      // At the very end, where only a forged backup can be, they stay what they are.
      try connection.run(
        "UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1 AND seq BETWEEN 0 AND ?3", .text(table),
        .integer(passedOver), .integer(.max - passedOver))
    }
  }
}
