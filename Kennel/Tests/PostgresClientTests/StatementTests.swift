import Foundation
@testable import PostgresClient
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable)) struct StatementTests {
  private let pool: PostgresPool

  init() throws { pool = try PostgresServer.shared.get().pool() }

  @Test func `values of all types come back as they were sent`() async throws {
    let bytes = (0...255).map { UInt8($0) }
    let text = "Rüdiger\u{1F415} 'x' \\ \"\n"
    let row = try #require(
      try await pool.first(
        "SELECT $1::bigint, $2::float8, $3::text, $4::bytea, $5::boolean, $6::text, $7::text, $8::bytea",
        .integer(.min), .real(0.1 + 0.2), .text(text), .blob(bytes), .boolean(true), .null, .text(""),
        .blob([])
      ) { $0 })
    #expect(row.count == 8)
    #expect(row.integer(0) == .min)
    #expect(row.real(1) == 0.1 + 0.2)
    #expect(row.text(2) == text)
    #expect(row.blob(3) == bytes)
    #expect(row.boolean(4))
    #expect(row.isNull(5))
    #expect(!row.isNull(6) && row.text(6).isEmpty)
    #expect(!row.isNull(7) && row.blob(7).isEmpty)
    #expect(row.isNull(8) && row.integer(-1) == 0)
  }

  @Test func `special numbers come back as they were sent`() async throws {
    for number in [Double.infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -0.0] {
      let found = try await pool.first("SELECT $1::float8", .real(number)) { $0.real(0) }
      #expect(found == number)
    }
    #expect(try await pool.first("SELECT $1::float8", .real(.nan)) { $0.real(0).isNaN } == true)
    #expect(try await pool.first("SELECT $1::bigint", .integer(.max)) { $0.integer(0) } == .max)
    // The sum of bigints is a numeric.
    #expect(try await pool.first("SELECT sum(n) FROM (VALUES (1::bigint), (2)) t(n)") { $0.integer(0) } == 3)
  }

  @Test func `values of many megabytes come back`() async throws {
    let bytes = [UInt8](Data.pattern(count: 12 << 20))
    let found = try await pool.first("SELECT $1::bytea, length($1)", .blob(bytes)) {
      ($0.blob(0), $0.integer(1))
    }
    #expect(found?.0 == bytes)
    #expect(found?.1 == 12 << 20)
    let text = String(repeating: "dog ", count: 2 << 20)
    #expect(try await pool.first("SELECT $1::text", .text(text)) { $0.text(0) } == text)
  }

  @Test func `a statement returns the number of rows that it changed`() async throws {
    try await pool.withConnection { connection throws(PostgresError) in
      try await connection.script("CREATE TEMPORARY TABLE dogs (id bigint PRIMARY KEY, name text NOT NULL)")
      #expect(try await connection.run("INSERT INTO dogs VALUES ($1, $2)", .integer(1), .text("Rex")) == 1)
      #expect(try await connection.run("UPDATE dogs SET name = $1 WHERE id > 5", .text("Bo")) == 0)
      #expect(try await connection.rows("SELECT name FROM dogs", row: { $0.text(0) }) == ["Rex"])
      #expect(try await connection.first("SELECT 1 FROM dogs WHERE id = 9", row: { $0.integer(0) }) == nil)
    }
  }

  @Test func `constraints give errors with the name of the constraint`() async throws {
    try await pool.withConnection { connection throws(PostgresError) in
      try await connection.script(
        """
        CREATE TEMPORARY TABLE parents (id bigint PRIMARY KEY);
        CREATE TEMPORARY TABLE pups (id bigint PRIMARY KEY, parent bigint CONSTRAINT has_parent REFERENCES parents);
        INSERT INTO parents VALUES (1); INSERT INTO pups VALUES (1, 1)
        """)
      do throws(PostgresError) {
        try await connection.run("INSERT INTO pups VALUES ($1, 1)", .integer(1))
        Issue.record("The row exists already.")
      } catch {
        #expect(error.code == .constraint && error.isDuplicate && error.constraint == "pups_pkey")
      }
      do throws(PostgresError) {
        try await connection.run("INSERT INTO pups VALUES ($1, 7)", .integer(2))
        Issue.record("The parent does not exist.")
      } catch {
        #expect(error.isMissingReference && error.constraint == "has_parent")
      }
      // The connection is still usable.
      #expect(try await connection.first("SELECT count(*) FROM pups", row: { $0.integer(0) }) == 1)
    }
  }

  @Test func `wrong SQL and impossible values are errors, and the connection stays usable`() async throws {
    let failed = await #expect(throws: PostgresError.self) { try await pool.run("SELEKT 1") }
    #expect(failed?.code == .failed && failed?.sqlState == "42601")
    let value = await #expect(throws: PostgresError.self) {
      try await pool.run("SELECT $1::bigint", .text("a dog"))
    }
    #expect(value?.code == .badValue)
    let nul = await #expect(throws: PostgresError.self) {
      try await pool.run("SELECT $1::text", .text("a\0b"))
    }
    #expect(nul?.code == .badValue)
    let copy = await #expect(throws: PostgresError.self) { try await pool.script("COPY pg_class TO STDOUT") }
    #expect(copy?.code == .connectionLost || copy?.code == .failed)
    #expect(try await pool.first("SELECT 1") { $0.integer(0) } == 1)
  }

  @Test func `a prepared statement works again after its table was changed`() async throws {
    try await pool.withConnection { connection throws(PostgresError) in
      try await connection.script(
        "CREATE TEMPORARY TABLE changing (id bigint); INSERT INTO changing VALUES (1)")
      func read() async throws(PostgresError) -> [Int] {
        try await connection.rows("SELECT * FROM changing") { $0.count }
      }
      #expect(try await read() == [1])
      try await connection.script("ALTER TABLE changing ADD COLUMN name text")
      // The server refuses the old plan once.
      _ = try? await read()
      #expect(try await read() == [2])
    }
  }

  @Test func `20,000 statements run on 8 connections`() async throws {
    let total = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<100 {
        group.addTask {
          for number in 0..<200 {
            let value = Int64(task * 200 + number)
            let found = try await pool.first("SELECT $1::bigint + 1", .integer(value)) { $0.integer(0) }
            if found == value + 1 { total.add() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(total.value == 20_000)
    #expect(pool.connectionCount.all <= 8)
    #expect(pool.connectionCount.all == pool.connectionCount.idle)
  }

  @Test func `a result with too many rows is an error, and the connection stays usable`() async throws {
    let small = try PostgresServer.shared.get().pool {
      $0.maximumRows = 1000
      $0.maximumConnections = 1
    }
    let process = try await small.first("SELECT pg_backend_pid()") { $0.integer(0) }
    let error = await #expect(throws: PostgresError.self) {
      try await small.rows("SELECT n, repeat('dog', 1000) FROM generate_series(1, 10000000) n") {
        $0.integer(0)
      }
    }
    #expect(error?.code == .tooLarge)
    #expect(try await small.first("SELECT pg_backend_pid()") { $0.integer(0) } == process)
  }

  @Test func `a stream reads a result that is larger than the limit for a result`() async throws {
    let small = try PostgresServer.shared.get().pool { $0.maximumBytes = 1 << 20 }
    var count: Int64 = 0
    var sum: Int64 = 0
    for try await row in small.stream("SELECT n, repeat('dog', 500) FROM generate_series(1, 50000) n") {
      count += 1
      sum += row.integer(0)
    }
    #expect(count == 50_000)
    #expect(sum == 1_250_025_000)
    #expect(await eventually { small.connectionCount == (1, 1) })
  }

  @Test func `leaving a stream early gives its connection back`() async throws {
    for try await row in pool.stream("SELECT n FROM generate_series(1, 1000000) n", pageSize: 10) {
      if row.integer(0) == 25 { break }
    }
    #expect(await eventually { pool.connectionCount == (1, 1) })
    #expect(try await pool.first("SELECT 1") { $0.integer(0) } == 1)
  }
}
