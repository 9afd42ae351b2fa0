import KennelTestSupport
import PostgresClient
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// What a store reports while the database does not do what it did before.
@Suite(
  .enabled(if: PostgresServer.isAvailable),
  .enabled(if: TestWorld.hasFiles, "it is the same in both worlds"), .timeLimit(.minutes(5)))
struct PostgresOutageTests {
  @Test func `a database that is gone later cannot be reached, and its address is not wrong`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      let ada = try await store.addUser()
      let path = address.prefix { $0 != "?" }
      let name = try #require(path.split(separator: "/").last)
      let pool = PostgresPool(try PostgresAddress(address.replacing("/\(name)?", with: "/postgres?")))
      try await pool.script("DROP DATABASE \(name) WITH (FORCE)")
      let reading = await #expect(throws: KennelError.self) { _ = try await store.posts.page() }
      #expect(reading?.code == .busy && reading?.isUnreachable == true)
      let writing = await #expect(throws: KennelError.self) { try await store.addPost(1, by: ada) }
      #expect(writing?.code == .busy && writing?.isUnreachable == true)
      pool.close()
    }
  }

  @Test func `a store does not depend on the defaults of the server`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let pool = PostgresPool(try PostgresAddress(address))
    try await pool.script(
      """
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
        EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable', current_database());
      END $$
      """)
    pool.close()
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      _ = try await store.addUser()
      let isolation = try await store.database.write { transaction throws(KennelError) in
        try transaction.connection.first("SELECT current_setting('transaction_isolation')") { $0.text(0) }
      }
      #expect(isolation == "read committed")
    }
  }
}
