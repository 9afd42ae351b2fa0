import Foundation
import KennelTestSupport
import PostgresClient
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// The check of a kennel whose records are in PostgreSQL.
@Suite(.enabled(if: PostgresServer.isAvailable), .timeLimit(.minutes(5))) struct PostgresCheckTests {
  /// Runs a script against the database of a kennel with two posts, and returns what the check finds.
  private func problems(
    after script: String, repairs: Bool = false
  ) async throws -> [StoreReport.Problem] {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    return try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      let ada = try await store.addUser()
      try await store.addPost(1, by: ada, caption: "a tennis ball")
      try await store.addPost(2, by: ada)
      #expect(try await store.check(readsPhotos: true).problems == [])
      let pool = PostgresPool(try PostgresAddress(address))
      try await pool.script(script)
      pool.close()
      if repairs { _ = try await store.check(repairs: true) }
      return try await store.check(readsPhotos: true).problems
    }
  }

  @Test func `a row that refers to nothing is found`() async throws {
    let problems = try await problems(
      after: "SET session_replication_role = replica; DELETE FROM users")
    #expect(problems.contains(.reference(table: "posts")))
  }

  @Test(arguments: ["posts", "comments", "users"])
  func `a number that would be given twice is found`(table: String) async throws {
    let problems = try await problems(
      after: """
        INSERT INTO comments (post, author, text, created) VALUES (1, 1, 'a', 1), (1, 1, 'b', 1);
        UPDATE search_changes SET post = post;
        ALTER TABLE \(table) ALTER COLUMN id RESTART WITH 1; DELETE FROM search_changes
        """)
    #expect(problems.contains(.number(table: table)))
  }

  @Test func `a counter of events that is too low is found`() async throws {
    let problems = try await problems(after: "UPDATE counters SET value = 0 WHERE name = 'events'")
    #expect(problems == [.number(table: "events")])
  }

  @Test(arguments: ["UPDATE search SET words = ''", "DELETE FROM search WHERE post = 1"])
  func `a wrong index of the search is found and repaired`(script: String) async throws {
    #expect(try await problems(after: script) == [.search])
    #expect(try await problems(after: script, repairs: true) == [])
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it removes the file of a photo"))
  func `photos without a file or a post are found`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(KennelStore.photo(1)))))
      #expect(post.id == 1)
      try FileManager.default.removeItem(atPath: store.photos.location(hash))
      let orphan = try #require(PhotoHash(bytes: Sodium.sha256([1])))
      try Data("dog".utf8).write(to: URL(filePath: store.photos.location(orphan)))
      let problems = try await store.check().problems
      #expect(Set(problems) == [.missing(hash), .orphan(orphan)])
    }
  }

  @Test func `a check changes nothing`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.databaseAddress = address }) { store in
      _ = try await store.addPost(1, by: try await store.addUser())
    }
    let connection = try PostgresRecordConnection(address)
    try connection.begin("BEGIN")
    let before = try TableCopy().digests(of: connection)
    connection.rollBack()
    var configuration = KennelStore.Configuration.forTest
    configuration.databaseAddress = address
    _ = try await KennelStore.check(
      directory.path("data"), readsPhotos: true, configuration: configuration)
    try connection.begin("BEGIN")
    #expect(try TableCopy().digests(of: connection) == before)
    connection.close()
  }
}
