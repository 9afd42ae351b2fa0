import Foundation
import KennelTestSupport
import PostgresTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(
  .enabled(if: PostgresServer.isAvailable && TestWorld.hasFiles, "it copies between both kinds of records"),
  .timeLimit(.minutes(5)))
struct TableCopyTests {
  /// Makes a kennel in SQLite that has rows in all tables, and returns its file.
  private func filledKennel(_ directory: TemporaryDirectory) async throws -> String {
    try await withStore(in: directory) { _ in }
    try EveryTable.fill(directory.path("data"))
    return directory.path("data/kennel.sqlite")
  }

  private func postgres() async throws -> PostgresRecordConnection {
    let connection = try PostgresRecordConnection(
      try #require(try await RecordsKind.postgres.makeDatabase()))
    try PostgresSchema.bringUpToDate(connection)
    return connection
  }

  @Test func `all tables are copied to PostgreSQL and back with equal rows`() async throws {
    let directory = try TemporaryDirectory()
    let source = try Connection.readingExclusively(try await filledKennel(directory))
    let copy = try TableCopy()
    let digests = try copy.digests(of: source)
    // A new table needs rows in `EveryTable`.
    for (table, digest) in digests { #expect(digest.count > 0, "\(table) is empty") }
    let postgres = try await postgres()
    defer { postgres.close() }
    try postgres.begin("BEGIN")
    let count = try copy.run(from: source, to: postgres, complete: SearchIndex.rebuild)
    #expect(count == digests.values.reduce(0) { $0 + $1.count })
    #expect(try SearchIndex.isCurrent(postgres))
    try postgres.commit()
    try postgres.begin("BEGIN")
    #expect(try copy.digests(of: postgres) == digests)
    let caption = try postgres.first("SELECT caption FROM posts WHERE id = 7") { $0.text(0) }
    #expect(caption?.utf8.elementsEqual(EveryTable.difficultText.utf8) == true)

    let target = try Connection.fillingNewFile(at: directory.path("back.sqlite"))
    try copy.run(from: postgres, to: target, complete: SearchIndex.rebuild)
    try target.commit()
    #expect(try copy.digests(of: target) == digests)
    #expect(try SearchIndex.isCurrent(target))
    #expect(try target.first("PRAGMA integrity_check") { $0.text(0) } == "ok")
  }

  @Test func `numbers of deleted rows are not used again after a copy`() async throws {
    let directory = try TemporaryDirectory()
    let source = try Connection.readingExclusively(try await filledKennel(directory))
    let postgres = try await postgres()
    defer { postgres.close() }
    try postgres.begin("BEGIN")
    try TableCopy().run(from: source, to: postgres)
    #expect(try postgres.lastNumbers()["posts"] == 41)
    let comment = try postgres.runReturningNumber(
      "INSERT INTO comments (post, author, text, created) VALUES (7, 3, 'new', 1) RETURNING id")
    #expect(comment == 12)
    let target = try Connection.fillingNewFile(at: directory.path("back.sqlite"))
    try TableCopy().run(from: postgres, to: target)
    for table in ["users", "posts", "links", "account_links", "albums"] {
      #expect(try target.lastNumbers()[table] == source.lastNumbers()[table], "\(table)")
    }
    #expect(try target.lastNumbers()["comments"] == 12)
  }

  @Test func `an empty table has the first number after a copy`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { _ in }
    let source = try Connection.readingExclusively(directory.path("data/kennel.sqlite"))
    let postgres = try await postgres()
    defer { postgres.close() }
    try postgres.begin("BEGIN")
    try TableCopy().run(from: source, to: postgres)
    #expect(try postgres.lastNumbers()["users"] == 0)
    let user = try postgres.runReturningNumber(
      "INSERT INTO users (name, folded, role, password, created) VALUES ('a', 'a', 'owner', '', 1) RETURNING id"
    )
    #expect(user == 1)
  }

  @Test func `PostgreSQL has the tables and columns that are copied`() async throws {
    let postgres = try await postgres()
    defer { postgres.close() }
    try postgres.begin("BEGIN READ ONLY")
    let columns = try postgres.rows(
      """
      SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name NOT IN ('kennel', 'search', 'search_changes')
      """
    ) { "\($0.text(0)).\($0.text(1)) \($0.text(2))" }
    let expected = try TableShape.all().flatMap { table in
      table.columns.map { column in
        let type =
          switch column.kind {
          case .integer: "bigint"
          case .text: "text"
          case .blob: "bytea"
          }
        return "\(table.name).\(column.name) \(type)"
      }
    }
    #expect(Set(columns) == Set(expected))
  }

  @Test func `each table comes after those that it refers to`() throws {
    let names = try TableShape.all().map(\.name)
    for (first, second) in [
      ("users", "sessions"), ("photos", "posts"), ("parts", "posts"), ("posts", "favourites"),
      ("albums", "album_posts"), ("albums", "links"),
    ] {
      #expect(try #require(names.firstIndex(of: first)) < #require(names.firstIndex(of: second)))
    }
    #expect(Set(names).count == names.count && names.count > 20)
  }

  @Test func `a row that is different in the target is found`() async throws {
    let directory = try TemporaryDirectory()
    let source = try Connection.readingExclusively(try await filledKennel(directory))
    let target = try Connection.fillingNewFile(at: directory.path("back.sqlite"))
    #expect(throws: KennelError.self) {
      try TableCopy().run(from: source, to: target) { connection throws(KennelError) in
        try connection.run("UPDATE favourites SET created = created + 1")
      }
    }
  }

  @Test func `texts with NUL and with characters for private use are the same in PostgreSQL and back`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let source = try Connection.readingExclusively(try await filledKennel(directory))
    let postgres = try await postgres()
    defer { postgres.close() }
    try postgres.begin("BEGIN")
    try TableCopy().run(from: source, to: postgres)
    let target = try Connection.fillingNewFile(at: directory.path("back.sqlite"))
    try TableCopy().run(from: postgres, to: target)
    for connection: any RecordConnection in [postgres, target] {
      let text = try connection.first("SELECT text FROM comments WHERE id = 11") { $0.text(0) }
      #expect(text?.utf8.elementsEqual(EveryTable.encodedText.utf8) == true)
    }
  }
}
