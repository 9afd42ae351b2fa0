import Foundation
@testable import PostgresClient
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

/// Tests with a server of their own, which they stop and start.
@Suite(.enabled(if: PostgresServer.isAvailable), .serialized) struct RestartTests {
  private static let server = Result { try PostgresServer() }
  private let server: PostgresServer

  init() throws { server = try Self.server.get() }

  @Test func `connections that a restart broke are replaced`() async throws {
    let pool = try server.pool { $0.maximumConnections = 4 }
    try await pool.script("CREATE TABLE IF NOT EXISTS kept (id bigint); TRUNCATE kept")
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { _ = try? await pool.run("SELECT pg_sleep(0.01)") } }
    }
    server.stop()
    try server.start()
    for number in 0..<10 { try await pool.run("INSERT INTO kept VALUES ($1)", .integer(Int64(number))) }
    #expect(try await pool.first("SELECT count(*) FROM kept") { $0.integer(0) } == 10)
  }

  @Test
  func `a statement that runs during a restart fails with a clear error, and a transaction is tried again`()
    async throws
  {
    let pool = try server.pool()
    try await pool.script("CREATE TABLE IF NOT EXISTS moved (id bigint); TRUNCATE moved")
    let statement = Task { try await pool.run("SELECT pg_sleep(600) /* restart */") }
    let attempts = Counter()
    let (isOpen, open) = AsyncStream.makeStream(of: Void.self)
    let transaction = Task {
      try await pool.transaction { connection throws(PostgresError) in
        try await connection.run("INSERT INTO moved VALUES (1)")
        guard attempts.add() == 1 else { return }
        open.yield()
        try await connection.run("SELECT pg_sleep(600)")
      }
    }
    for await _ in isOpen { break }
    #expect(
      try await eventually {
        try await pool.first(
          "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%' AND state = 'active'"
        ) { $0.integer(0) } == 2
      })
    server.stop()
    try server.start()
    let error = await #expect(throws: PostgresError.self) { try await statement.value }
    #expect(error?.code == .connectionLost || error?.code == .cannotConnect)
    try await transaction.value
    #expect(attempts.value == 2)
    #expect(try await pool.first("SELECT count(*) FROM moved") { $0.integer(0) } == 1)
  }

  @Test func `a listener hears again after a restart, and learns that it may have missed something`()
    async throws
  {
    let pool = try server.pool()
    let failures = Counter()
    let heard = pool.notifications(on: ["events", "a \"b\""]) { _ in failures.add() }
    var events = heard.makeAsyncIterator()
    #expect(await events.next() == .listening)
    try await pool.script("NOTIFY events, 'one'")
    try await pool.run("SELECT pg_notify('a \"b\"', $1)", .text("two"))
    guard case .notification(let first) = await events.next(),
      case .notification(let second) = await events.next()
    else {
      Issue.record("Notifications are missing.")
      return
    }
    #expect(first.channel == "events" && first.payload == "one")
    #expect(second.channel == "a \"b\"" && second.payload == "two")
    server.stop()
    #expect(await eventually { failures.value > 0 })
    try server.start()
    #expect(await events.next() == .lost)
    #expect(await events.next() == .listening)
    try await pool.script("NOTIFY events, 'three'")
    guard case .notification(let third) = await events.next() else {
      Issue.record("The notification after the restart is missing.")
      return
    }
    #expect(third.payload == "three")
  }

  @Test func `too many connections are an error that names the cause`() async throws {
    let full = try server.pool { $0.maximumConnections = PostgresServer.maximumConnections + 10 }
    // The limit is lower for users without privileges.
    try await full.script(
      "DO $$ BEGIN CREATE ROLE crowd LOGIN CONNECTION LIMIT 2; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    var limits = PostgresPool.Limits()
    limits.startingTime = .milliseconds(1)
    let address = try server.address(user: "crowd")
    let first = PostgresPool(address, limits: limits)
    let second = PostgresPool(address, limits: limits)
    try await first.run("SELECT 1")
    try await second.run("SELECT 1")
    let third = PostgresPool(address, limits: limits)
    let error = await #expect(throws: PostgresError.self) { try await third.run("SELECT 1") }
    #expect(error?.code == .busy)
    #expect(error?.description.contains("too many connections") == true)
    first.close()
    // The server needs a moment to notice that the connection is closed.
    #expect(await eventually { (try? await third.run("SELECT 1")) != nil })
  }
}
