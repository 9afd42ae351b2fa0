import Foundation
@testable import PostgresClient
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable)) struct TransactionTests {
  private let pool: PostgresPool

  init() throws { pool = try PostgresServer.shared.get().pool() }

  private struct Unwanted: Error {}

  @Test func `an error rolls a transaction back`() async throws {
    try await pool.script("CREATE TABLE rolled_back (id bigint)")
    let error = await #expect(throws: PostgresError.self) {
      try await pool.transaction { connection throws(PostgresError) in
        try await connection.run("INSERT INTO rolled_back VALUES (1)")
        throw PostgresError(.failed, "Not wanted.")
      }
    }
    #expect(error?.description == "Not wanted.")
    #expect(try await pool.first("SELECT count(*) FROM rolled_back") { $0.integer(0) } == 0)
  }

  @Test func `serializable transactions that conflict are tried again, and all have an effect`() async throws
  {
    try await pool.script(
      "CREATE TABLE hearts (post bigint PRIMARY KEY, count bigint); INSERT INTO hearts VALUES (1, 0)")
    let attempts = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<40 {
            try await pool.transaction(.serializable) { connection throws(PostgresError) in
              attempts.add()
              let count =
                try await connection.first("SELECT count FROM hearts WHERE post = 1") { $0.integer(0) } ?? 0
              try await connection.run("UPDATE hearts SET count = $1 WHERE post = 1", .integer(count + 1))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await pool.first("SELECT count FROM hearts") { $0.integer(0) } == 80)
    #expect(attempts.value >= 80)
  }

  @Test func `a conflict is certain to be tried again, and given up after the maximum number of attempts`()
    async throws
  {
    let pool = try PostgresServer.shared.get().pool { $0.maximumAttempts = 3 }
    try await pool.script(
      "CREATE TABLE contested (id bigint, count bigint); INSERT INTO contested VALUES (1, 0)")
    let attempts = Counter()
    let error = await #expect(throws: PostgresError.self) {
      try await pool.transaction(.repeatableRead) { connection throws(PostgresError) in
        attempts.add()
        _ = try await connection.first("SELECT count FROM contested") { $0.integer(0) }
        // Another connection changes the row that this transaction has read.
        try await pool.run("UPDATE contested SET count = count + 1")
        try await connection.run("UPDATE contested SET count = count + 100")
      }
    }
    #expect(error?.code == .conflict)
    #expect(attempts.value == 3)
    #expect(try await pool.first("SELECT count FROM contested") { $0.integer(0) } == 3)
  }

  @Test func `a deadlock is resolved`() async throws {
    try await pool.script(
      "CREATE TABLE pair (id bigint PRIMARY KEY, count bigint); INSERT INTO pair VALUES (1, 0), (2, 0)")
    try await pool.script("ALTER DATABASE postgres SET deadlock_timeout = '20ms'")
    let pool = try PostgresServer.shared.get().pool()
    let bothLocked = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (first, second) in [(Int64(1), Int64(2)), (2, 1)] {
        group.addTask {
          try await pool.transaction { connection throws(PostgresError) in
            try await connection.run("UPDATE pair SET count = count + 1 WHERE id = $1", .integer(first))
            bothLocked.add()
            // Both transactions have locked their first row, or one of them has ended before.
            _ = await eventually { bothLocked.value >= 2 }
            try await connection.run("UPDATE pair SET count = count + 1 WHERE id = $1", .integer(second))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await pool.first("SELECT sum(count) FROM pair") { $0.integer(0) } == 4)
  }
}
