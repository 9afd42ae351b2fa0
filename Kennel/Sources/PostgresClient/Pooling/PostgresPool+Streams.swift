/// The rows of a query, of which only some are in memory. The sequence can be iterated several times.
///
/// The query runs when the iteration begins, and sees the database as it is at that moment. The iterator has a connection of
/// the pool until its end or until it is released.
package struct PostgresRows: AsyncSequence, Sendable {
  package typealias Element = PostgresRow
  package typealias Failure = PostgresError

  let pool: PostgresPool
  let query: String
  let pageSize: Int

  /// Returns an iterator from the beginning.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// The iterator of the rows.
  package struct AsyncIterator: AsyncIteratorProtocol {
    private let rows: PostgresRows
    private var cursor: PostgresCursor?
    private var page: ArraySlice<PostgresRow> = []
    private var isAtEnd = false

    fileprivate init(_ rows: PostgresRows) { self.rows = rows }

    /// Returns the next row, or nil at the end.
    ///
    /// - Throws: `PostgresError`. After an error, the sequence is at its end.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PostgresError) -> PostgresRow? {
      if let row = page.popFirst() { return row }
      guard !isAtEnd else { return nil }
      isAtEnd = true
      let cursor: PostgresCursor
      if let open = self.cursor { cursor = open } else { cursor = try await PostgresCursor.open(rows) }
      self.cursor = nil
      page = try await cursor.fetch()[...]
      guard let row = page.popFirst() else { return nil }
      (self.cursor, isAtEnd) = (cursor, false)
      return row
    }
  }
}

@available(*, unavailable)
extension PostgresRows.AsyncIterator: Sendable {}

extension PostgresPool {
  /// Returns the rows of a query of any size, a page of which is in memory.
  ///
  /// - Parameters:
  ///   - query: A query without values.
  ///   - pageSize: The number of rows in a page.
  package func stream(_ query: StaticString, pageSize: Int = 500) -> PostgresRows {
    PostgresRows(pool: self, query: "\(query)", pageSize: min(max(pageSize, 1), limits.maximumRows))
  }
}

/// A cursor in a transaction of its own. The transaction ends when the object is released.
private final class PostgresCursor: Sendable {
  private let pool: PostgresPool
  private let connection: PostgresConnection
  private let pageSize: Int

  static func open(_ rows: PostgresRows) async throws(PostgresError) -> PostgresCursor {
    let cursor = PostgresCursor(rows.pool, try await rows.pool.take(), rows.pageSize)
    try await cursor.connection.script(
      "BEGIN READ ONLY; DECLARE kennel_rows NO SCROLL CURSOR FOR \(rows.query)")
    return cursor
  }

  private init(_ pool: PostgresPool, _ connection: PostgresConnection, _ pageSize: Int) {
    self.pool = pool
    self.connection = connection
    self.pageSize = pageSize
  }

  deinit {
    let (pool, connection) = (pool, connection)
    Task {
      do throws(PostgresFailure) {
        _ = try await connection.execute(.script("ROLLBACK"), isShielded: true)
      } catch {
        connection.isBroken.set()
      }
      pool.giveBack(connection)
    }
  }

  func fetch() async throws(PostgresError) -> [PostgresRow] {
    do throws(PostgresFailure) {
      return try await connection.execute(.script("FETCH \(pageSize) FROM kennel_rows")).rows
    } catch {
      throw error.error
    }
  }
}
