import KennelStorage

extension KennelStore {
  /// Returns the address for links that people open on other devices, such as `http://192.0.2.7:8080`, as the latest server
  /// of this kennel has recorded it. Returns nil if there was none.
  package func linkAddress() async throws(KennelError) -> String? {
    try await database.read { connection throws(KennelError) in
      try connection.first("SELECT value FROM decisions WHERE name = 'address'") { $0.text(0) }
    }
  }

  /// Records the address for links.
  package func setLinkAddress(_ address: String) async throws(KennelError) {
    if try await linkAddress() == address { return }
    try await database.write { transaction throws(KennelError) -> Void in
      try transaction.connection.run(
        """
        INSERT INTO decisions (name, value) VALUES ('address', ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """, .text(address))
    }
  }
}
