extension KennelStore {
  /// More numbers than are assigned between a backup and its restore.
  private static let skippedCount: Int64 = 100_000

  /// Skips numbers after a restore. Posts made after the backup are lost, but browsers cache their pictures by number,
  /// so these numbers must not be used again.
  static func skipNumbers(in directory: String) throws(KennelError) {
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .copying, busyTimeout: .zero)
    for table in ["posts", "comments", "events"] {
      try connection.run(
        """
        INSERT INTO sqlite_sequence (name, seq)
        SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
        """, .text(table))
      // Near the maximum, which only a forged backup can reach, the numbers stay unchanged.
      try connection.run(
        "UPDATE sqlite_sequence SET seq = seq + ?2 WHERE name = ?1 AND seq BETWEEN 0 AND ?3", .text(table),
        .integer(skippedCount), .integer(.max - skippedCount))
    }
  }
}
