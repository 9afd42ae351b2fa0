/// Copies all tables of a kennel from one database to another, and verifies the copy. It blocks.
package struct TableCopy {
  /// Tables whose rows stay behind: the bytes of an unfinished upload are in a file of their own.
  static let leftTables: Set<String> = ["uploads"]
  private static let batchSize = 500

  private let tables: [TableShape]
  private let isCancelled: () -> Bool
  private let progress: (Int) -> Void

  /// - Parameter progress: called often with the number of rows that were copied.
  package init(
    isCancelled: @escaping () -> Bool = { false }, progress: @escaping (Int) -> Void = { _ in }
  ) throws(KennelError) {
    tables = try TableShape.all()
    self.isCancelled = isCancelled
    self.progress = progress
  }

  /// Replaces the rows of the target by those of the source. Transactions of both connections must have begun, and that of the source
  /// must read one state.
  ///
  /// - Parameter complete: makes what is not copied, such as the index of the search.
  /// - Returns: the number of rows.
  /// - Throws: `damaged` if the rows of the target are not those of the source.
  @discardableResult
  package func run(
    from source: any TableConnection, to target: any TableConnection,
    complete: (any RecordConnection) throws(KennelError) -> Void = { _ in }
  ) throws(KennelError) -> Int {
    try target.beginFilling(tables)
    var digests: [String: TableDigest] = [:]
    var count = 0
    for table in copied {
      var batch: [[SQLValue]] = []
      var digest = TableDigest()
      try source.forEachRow(of: table) { row throws(KennelError) in
        digest.add(row)
        batch.append(row)
        guard batch.count == Self.batchSize else { return }
        if isCancelled() { throw .cancelled }
        try target.insert(batch, into: table)
        count += batch.count
        progress(count)
        batch = []
      }
      if !batch.isEmpty { try target.insert(batch, into: table) }
      count += batch.count
      progress(count)
      digests[table.name] = digest
    }
    try target.setLastNumbers(try source.lastNumbers())
    try target.endFilling(tables)
    try complete(target)
    try verify(target, digests)
    return count
  }

  private var copied: [TableShape] { tables.filter { !Self.leftTables.contains($0.name) } }

  private func verify(
    _ target: any TableConnection, _ expected: [String: TableDigest]
  ) throws(KennelError) {
    for table in copied {
      if isCancelled() { throw .cancelled }
      var digest = TableDigest()
      try target.forEachRow(of: table) { digest.add($0) }
      guard digest == expected[table.name] else {
        throw KennelError(
          .damaged,
          "The table \(table.name) was not copied exactly: \(digest.count) rows instead of "
            + "\(expected[table.name]?.count ?? 0), or other values. Nothing was switched. Try again.")
      }
    }
  }

  /// Returns the digest of each table that is copied.
  package func digests(of connection: any TableConnection) throws(KennelError) -> [String: TableDigest] {
    var digests: [String: TableDigest] = [:]
    for table in copied {
      var digest = TableDigest()
      try connection.forEachRow(of: table) { digest.add($0) }
      digests[table.name] = digest
    }
    return digests
  }
}
