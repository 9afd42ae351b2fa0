import PostgresClient

/// The records of a kennel in PostgreSQL that are checked.
package final class PostgresInspection: InspectedRecords {
  private let reader: Reader
  private let queue = BlockingWorkQueue<Void>("reads", slots: 1, maximumWaitingCount: 100)

  package init(_ address: String) throws(KennelError) {
    reader = Reader(try PostgresRecordConnection(address))
  }

  package func read<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", work)
  }

  /// Writers wait meanwhile.
  package func readBetweenCommits<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value? {
    try await run(PostgresSchema.beginWriting + "; SET TRANSACTION READ ONLY", work)
  }

  package func readDiscardingChanges<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await read(work)
  }

  package func problems(limit: Int) async throws(KennelError) -> [RecordProblem] {
    try await run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { connection throws(KennelError) in
      let references = try connection.danglingReferences().prefix(limit)
      let numbers = try connection.lateNumbers()
      return references.map { RecordProblem.reference(table: $0) }
        + numbers.map { RecordProblem.number(table: $0) }
    }
  }

  package func close() async {
    await queue.close()
    reader.connection.close()
  }

  private func run<Value: Sendable>(
    _ beginning: String, _ work: @escaping @Sendable (PostgresRecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await queue.run { [reader] () throws(KennelError) in
      try reader.connection.begin(beginning)
      defer { reader.connection.rollBack() }
      try PostgresSchema.requireCurrent(reader.connection)
      return try work(reader.connection)
    }
  }

  /// `@unchecked`: only the single slot of the work queue uses it, and `close()` after the queue has finished.
  private final class Reader: @unchecked Sendable {
    let connection: PostgresRecordConnection

    init(_ connection: PostgresRecordConnection) { self.connection = connection }
  }
}

extension PostgresRecordConnection {
  /// Returns the tables with rows that refer to rows that do not exist. PostgreSQL prevents this, unless someone has switched its
  /// constraints off.
  fileprivate func danglingReferences() throws(KennelError) -> [String] {
    let references = try rows(
      """
      SELECT quote_ident(t.relname), quote_ident(a.attname), quote_ident(o.relname), quote_ident(b.attname), t.relname
      FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class o ON o.oid = c.confrelid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.conkey[1]
      JOIN pg_attribute b ON b.attrelid = o.oid AND b.attnum = c.confkey[1]
      WHERE c.contype = 'f' AND t.relnamespace = current_schema()::regnamespace ORDER BY t.relname, a.attname
      """
    ) { row in (0..<5).map { row.text($0) } }
    var tables: [String] = []
    for names in references {
      let query = """
        SELECT 1 FROM \(names[0]) t WHERE \(names[1]) IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM \(names[2]) o WHERE o.\(names[3]) = t.\(names[1])) LIMIT 1
        """
      if try !result(of: .script(query)).rows.isEmpty { tables.append(names[4]) }
    }
    return tables
  }

  /// Returns the tables in which the next row would get a number that another one has.
  fileprivate func lateNumbers() throws(KennelError) -> [String] {
    let numbers = try lastNumbers()
    var tables: [String] = []
    for (table, largest) in try largestNumbers() where largest > numbers[table] ?? 0 { tables.append(table) }
    return tables
  }
}
