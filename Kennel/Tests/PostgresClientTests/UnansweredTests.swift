import Glibc
@testable import PostgresClient
import PostgresTestSupport
import TestSupport
import Testing

/// A server that does not answer any more, although the connection to it is open: its process is halted.
@Suite(.enabled(if: PostgresServer.isAvailable)) struct UnansweredTests {
  private func pool(answerDelay: Duration = .seconds(1)) async throws -> PostgresPool {
    var limits = PostgresPool.Limits()
    limits.answerDelay = answerDelay
    limits.maximumConnections = 1
    limits.statementTime = .milliseconds(500)
    limits.heartbeat = .milliseconds(20)
    let address = try await PostgresServer.shared.get().makeDatabase()
    return PostgresPool(try PostgresAddress(address), limits: limits)
  }

  private func process(_ pool: PostgresPool) async throws -> pid_t {
    let process = try await pool.first("SELECT pg_backend_pid()") { pid_t($0.integer(0)) }
    return try #require(process)
  }

  @Test func `a statement without an answer ends in time, and the next one has another connection`()
    async throws
  {
    let pool = try await pool()
    let first = try await process(pool)
    kill(first, SIGSTOP)
    defer { kill(first, SIGCONT) }
    let error = await #expect(throws: PostgresError.self) { try await process(pool) }
    // It may have had an effect.
    #expect(error?.code == .connectionLost)
    #expect(try await eventually { try await process(pool) != first })
    pool.close()
  }

  @Test func `the server ends a statement that takes too long`() async throws {
    let pool = try await pool(answerDelay: .seconds(300))
    let error = await #expect(throws: PostgresError.self) {
      try await pool.run("SELECT pg_sleep(600)")
    }
    #expect(error?.sqlState == "57014")
    #expect(await eventually { (try? await pool.run("SELECT 1")) != nil })
    pool.close()
  }

  @Test func `a listener whose server does not answer connects again`() async throws {
    let pool = try await pool()
    var events = pool.notifications(on: ["dogs"]).makeAsyncIterator()
    #expect(await events.next() == .listening)
    let found = try await pool.first(
      """
      SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      """
    ) { pid_t($0.integer(0)) }
    let listening = try #require(found)
    kill(listening, SIGSTOP)
    defer { kill(listening, SIGCONT) }
    #expect(await events.next() == .lost)
    #expect(await events.next() == .listening)
    pool.close()
  }
}
