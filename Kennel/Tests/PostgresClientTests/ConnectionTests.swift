import Foundation
@testable import PostgresClient
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable)) struct ConnectionTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared.get() }

  /// Waits until a statement with a text is running.
  private func isRunning(_ text: String) async throws -> Bool {
    let pool = try server.pool { $0.maximumConnections = 1 }
    defer { pool.close() }
    return try await eventually {
      try await pool.first(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1",
        .text("%\(text)%")
      ) { $0.integer(0) } == 1
    }
  }

  @Test func `cancelling a task ends its statement, and the connection is used again`() async throws {
    let pool = try server.pool { $0.maximumConnections = 1 }
    let process = try await pool.first("SELECT pg_backend_pid()") { $0.integer(0) }
    let task = Task { try await pool.run("SELECT pg_sleep(600) /* cancelled */") }
    #expect(try await isRunning("/* cancelled */"))
    task.cancel()
    let error = await #expect(throws: PostgresError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(try await pool.first("SELECT pg_backend_pid()") { $0.integer(0) } == process)
  }

  @Test func `a cancelled transaction is rolled back`() async throws {
    let pool = try server.pool()
    try await pool.script("CREATE TABLE IF NOT EXISTS cancelled_dogs (id bigint)")
    let task = Task {
      try await pool.transaction { connection throws(PostgresError) in
        try await connection.run("INSERT INTO cancelled_dogs VALUES (1)")
        try await connection.run("SELECT pg_sleep(600) /* in transaction */")
      }
    }
    #expect(try await isRunning("/* in transaction */"))
    task.cancel()
    let error = await #expect(throws: PostgresError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(try await pool.first("SELECT count(*) FROM cancelled_dogs") { $0.integer(0) } == 0)
    #expect(pool.connectionCount == (1, 1))
  }

  @Test func `a task that is cancelled while it waits for a connection leaves the line`() async throws {
    let pool = try server.pool { $0.maximumConnections = 1 }
    try await pool.withConnection { connection throws(PostgresError) in
      let waiting = Task { try await pool.run("SELECT 1") }
      waiting.cancel()
      let result = await waiting.result
      #expect(throws: PostgresError.cancelled) { try result.get() }
    }
    #expect(try await pool.first("SELECT 2") { $0.integer(0) } == 2)
  }

  @Test func `a wrong password is an error that does not contain it`() async throws {
    let owner = try server.pool()
    try await owner.script("CREATE ROLE locked LOGIN PASSWORD 'right'")
    let right = PostgresPool(try server.address(user: "locked", password: "right"))
    #expect(try await right.first("SELECT current_user") { $0.text(0) } == "locked")
    let wrong = PostgresPool(try server.address(user: "locked", password: "s3cret"))
    let error = await #expect(throws: PostgresError.self) { try await wrong.run("SELECT 1") }
    #expect(error?.code == .wrongPassword)
    #expect(error.map { "\($0)".contains("s3cret") } == false)
  }

  @Test func `a database that does not exist, and one that is not running, are different errors`()
    async throws
  {
    let socket = try server.address().parameters.first { $0.0 == "dbname" }?.1 ?? ""
    let missing = PostgresPool(try PostgresAddress(socket.replacing("/postgres?", with: "/cats?")))
    let first = await #expect(throws: PostgresError.self) { try await missing.run("SELECT 1") }
    #expect(first?.code == .noSuchDatabase)
    var limits = PostgresPool.Limits()
    limits.startingTime = .zero
    let silent = PostgresPool(try PostgresAddress("host=/nonexistent dbname=postgres"), limits: limits)
    let second = await #expect(throws: PostgresError.self) { try await silent.run("SELECT 1") }
    #expect(second?.code == .cannotConnect)
  }

  @Test func `a message that arrives together with a result is delivered with it`() async throws {
    let heard = Mutex<[String]>([])
    let connection = try await PostgresConnection.connect(
      PostgresAddress(try await server.makeDatabase()), limits: PostgresPool.Limits(),
      notified: { message in heard.withLock { $0.append(message.payload) } }, closed: { _ in })
    try await connection.script("LISTEN dogs")
    // The server sends a connection its own message after the result and before the end of the statement.
    try await connection.script("NOTIFY dogs, 'one'")
    #expect(heard.withLock { $0 } == ["one"])
    connection.close()
  }

  @Test func `a transaction does not depend on the defaults of the server`() async throws {
    let pool = PostgresPool(try PostgresAddress(try await server.makeDatabase()))
    try await pool.script(
      """
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
        EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database());
      END $$
      """)
    let other = PostgresPool(pool.address)
    try await other.script("CREATE TABLE dogs (id bigint)")
    #expect(
      try await other.first("SELECT current_setting('transaction_isolation')") { $0.text(0) }
        == "read committed")
    pool.close()
    other.close()
  }

  @Test func `a server that does not answer is given up after a time`() async throws {
    let quiet = try ScriptedServer { connection in _ = try connection.nextRequest() }
    defer { quiet.stop() }
    var limits = PostgresPool.Limits()
    limits.startingTime = .zero
    limits.connectTime = .milliseconds(50)
    let pool = PostgresPool(
      try PostgresAddress("postgres://dog@127.0.0.1:\(quiet.port)/dogs?sslmode=disable"), limits: limits)
    let error = await #expect(throws: PostgresError.self) { try await pool.run("SELECT 1") }
    #expect(error?.code == .cannotConnect)
    #expect(error?.description.contains("did not answer in time") == true)
  }

  @Test func `more tasks than connections wait for their turn, and more than the limit are refused`()
    async throws
  {
    let pool = try server.pool {
      $0.maximumConnections = 1
      $0.maximumWaitingCount = 1
    }
    try await pool.withConnection { connection throws(PostgresError) in
      let waiting = Task { try await pool.first("SELECT 5") { $0.integer(0) } }
      #expect(await eventually { pool.waitingCount == 1 })
      let error = await #expect(throws: PostgresError.self) { try await pool.run("SELECT 1") }
      #expect(error?.code == .busy)
      waiting.cancel()
      _ = await waiting.result
    }
  }

  @Test func `idle connections are closed after their time`() async throws {
    let pool = try server.pool { $0.idleTime = .zero }
    async let first = pool.run("SELECT pg_sleep(0.01)")
    async let second = pool.run("SELECT pg_sleep(0.01)")
    _ = try await (first, second)
    #expect(pool.connectionCount.all <= 2)
    try await pool.run("SELECT 1")
    #expect(pool.connectionCount.all <= 1)
  }

  @Test func `a closed pool refuses statements`() async throws {
    let pool = try server.pool()
    try await pool.run("SELECT 1")
    pool.close()
    let error = await #expect(throws: PostgresError.self) { try await pool.run("SELECT 1") }
    #expect(error?.code == .closed)
    #expect(pool.connectionCount == (0, 0))
  }

  @Test func `addresses that are not valid give an error without the password`() throws {
    for text in [
      "postgres://dog:s3cret@host:port/dogs", "mysql://dog:s3cret@host/dogs", "host='s3cret", "",
      // Passwords with characters that must be escaped.
      "postgres://dog:a@s3cret@host/dogs", "postgres://dog:12/s3cret@host",
    ] {
      let error = #expect(throws: PostgresError.self) { try PostgresAddress(text) }
      #expect(error?.code == .badAddress)
      #expect(error.map { "\($0)".contains("s3cret") } == false)
    }
    for text in ["postgres://dog:a%40b@host/my%40db", "postgres:///dogs?host=@socket&user=a@b"] {
      _ = try PostgresAddress(text)
    }
    let address = try PostgresAddress("postgres://dog:s3cret@db.example.org:5433/dogs?sslmode=require")
    #expect("\(address)" == "postgres://dog@db.example.org:5433/dogs")
    var dumped = ""
    dump(address, to: &dumped)
    #expect(!dumped.contains("s3cret"))
    #expect(!String(reflecting: address).contains("s3cret"))
  }
}
