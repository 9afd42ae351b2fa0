extension ReadOnlyDatabase: InspectedRecords {
  package func read<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await readFile { connection throws(KennelError) in try work(connection) }
  }

  /// SQLite takes the write lock for some checks, and nobody should wait for that.
  package func readDiscardingChanges<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await readFile { connection throws(KennelError) in try work(connection.temporaryCopy()) }
  }

  package func problems(limit: Int) async throws(KennelError) -> [RecordProblem] {
    try await readFile { connection throws(KennelError) in
      let messages = try connection.rows("PRAGMA integrity_check", row: { $0.text(0) })
      let tables = try connection.rows("PRAGMA foreign_key_check", row: { $0.text(0) })
      return messages.filter { $0 != "ok" }.prefix(limit).map { .message($0) }
        + tables.prefix(limit).map { .reference(table: $0) }
    }
  }
}
