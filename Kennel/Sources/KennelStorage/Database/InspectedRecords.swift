/// The records of a kennel that are checked: they are only read, and other processes can use them meanwhile.
package protocol InspectedRecords: Sendable {
  /// Reads one consistent state. The work may run several times.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value

  /// Does work during which no process commits a change. The work may run several times.
  ///
  /// - Returns: nil if changes were committed during each of many attempts.
  func readBetweenCommits<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value?

  /// Does work that may change what it reads, without an effect on the records.
  func readDiscardingChanges<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value

  /// Returns what is wrong with the database itself, at most `limit` problems of each kind.
  func problems(limit: Int) async throws(KennelError) -> [RecordProblem]

  /// Ends the work that has begun.
  func close() async
}

/// A problem of a database, independent of what a kennel stores in it.
package enum RecordProblem: Sendable, Hashable {
  /// A message of the database.
  case message(String)
  /// A row refers to another row that does not exist.
  case reference(table: String)
  /// The next row would get a number that another one has.
  case number(table: String)
}
