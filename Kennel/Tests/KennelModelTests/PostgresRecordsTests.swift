import Foundation
import KennelTestSupport
import PostgresClient
import PostgresTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(
  .enabled(if: PostgresServer.isAvailable),
  .enabled(if: TestWorld.hasFiles, "it is the same in both worlds"), .timeLimit(.minutes(5)))
struct PostgresRecordsTests {
  private static func open(_ address: String, _ directory: TemporaryDirectory, _ name: String) async throws
    -> KennelStore
  {
    var configuration = KennelStore.Configuration.forTest
    configuration.databaseAddress = address
    // Only messages of the database report changes of the other store in time.
    configuration.pollInterval = .seconds(3600)
    return try await KennelStore.open(directory.path(name), configuration: configuration)
  }

  /// Opens two stores with the same records, as two processes would.
  private func withTwoStores(_ body: (KennelStore, KennelStore) async throws -> Void) async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    let one = try await Self.open(address, directory, "one")
    let two = try await Self.open(address, directory, "two")
    do { try await body(one, two) } catch {
      await one.close()
      await two.close()
      throw error
    }
    await one.close()
    await two.close()
  }

  @Test func `hearts through two stores stay exact, and listeners of both get all events in order`()
    async throws
  {
    try await withTwoStores { one, two in
      var users: [User] = []
      for number in 0..<10 { users.append(try await one.addUser("user \(number)")) }
      let post = try await one.addPost(1, by: users[0])
      let first = one.events.lastID
      let listeners = [try one.events.listen(after: first), try two.events.listen(after: first)]
      let changes = try await withThrowingTaskGroup(of: Int.self) { group in
        for (number, user) in users.enumerated() {
          let store = number.isMultiple(of: 2) ? one : two
          group.addTask {
            var isGiven = false
            for _ in 0..<41 {
              isGiven.toggle()
              let state = try await store.posts.setFavourite(isGiven, post: post.id, user: user.id)
              #expect(state.isFavourite == isGiven && (0...10).contains(state.count))
            }
            return 41
          }
        }
        return try await group.reduce(0, +)
      }
      for listener in listeners {
        var heard: [Int64] = []
        var last: KennelEvent.Kind?
        var deliveries = listener.makeAsyncIterator()
        while heard.count < changes, let delivery = try await deliveries.next() {
          guard case .events(let events) = delivery else { break }
          heard += events.map(\.id)
          last = events.last?.kind
        }
        #expect(heard == (1...Int64(changes)).map { first + $0 })
        #expect(last == .favourites(count: 10))
      }
      #expect(try await two.posts.post(post.id).favouriteCount == 10)
    }
  }

  @Test func `a change in one store soon changes the version that the other one knows`() async throws {
    try await withTwoStores { one, two in
      let ada = try await one.addUser()
      #expect(await eventually { one.database.commitMark != nil && two.database.commitMark != nil })
      let before = try await two.versions.current()
      let mark = try #require(two.database.commitMark)
      // Reading is no commit.
      _ = try await two.posts.page()
      try await one.addPost(1, by: ada)
      #expect(await eventually { two.database.commitMark != mark })
      #expect(try await two.versions.current().lastEvent == before.lastEvent + 1)
      // The store that makes a change has a new mark before its caller continues.
      let own = one.database.commitMark
      try await one.addPost(2, by: ada)
      #expect(one.database.commitMark != own)
    }
  }

  @Test func `a store whose server stops is busy, and works again after the restart`() async throws {
    let server = try PostgresServer()
    let address = try await server.makeDatabase()
    let directory = try TemporaryDirectory()
    let store = try await Self.open(address, directory, "data")
    let ada = try await store.addUser()
    var deliveries = try store.events.listen().makeAsyncIterator()
    server.stop()
    let failed = await code { try await store.addPost(1, by: ada) }
    #expect(failed == .busy)
    let reading = await #expect(throws: KennelError.self) { _ = try await store.posts.page() }
    #expect(reading?.code == .busy && reading?.isUnreachable == true)
    #expect(await eventually { store.database.commitMark == nil })
    try server.start()
    #expect(await eventually { await code { _ = try await store.posts.page() } == nil })
    try await store.addPost(2, by: ada)
    #expect(try await store.posts.page().count == 1)
    #expect(await eventually { store.database.commitMark != nil })
    // Another process makes a change, too. The listener gets both, in order and once.
    let other = try await Self.open(address, directory, "other")
    try await other.addPost(3, by: ada)
    var ids: [Int64] = []
    while ids.count < 2, case .events(let events)? = try await deliveries.next() { ids += events.map(\.id) }
    #expect(ids == [1, 2])
    await other.close()
    await store.close()
  }

  @Test func `a change whose connection is ended before the commit is made once`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    let store = try await Self.open(address, directory, "data")
    let pool = PostgresPool(try PostgresAddress(address))
    let attempts = SharedCounter()
    try await store.database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      try connection.run("INSERT INTO decisions (name, value) VALUES ('test', 'x')")
      if attempts.add() == 1 {
        // The connection ends itself, as the server does when an administrator ends it.
        _ = try connection.first("SELECT pg_terminate_backend(pg_backend_pid())") { _ in true }
      }
    }
    #expect(attempts.value == 2)
    #expect(try await pool.first("SELECT count(*) FROM decisions WHERE name = 'test'") { $0.integer(0) } == 1)
    pool.close()
    await store.close()
  }

  @Test func `stores that open an empty database at the same time create it once`() async throws {
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let directory = try TemporaryDirectory()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let store = try await Self.open(address, directory, "store \(number)")
          _ = try await store.addUser("user \(number)")
          await store.close()
        }
      }
      try await group.waitForAll()
    }
    let store = try await Self.open(address, directory, "store 0")
    #expect(try await store.accounts.users().count == 4)
    await store.close()
  }

  @Test func `databases of later versions and of other programs are refused`() async throws {
    let directory = try TemporaryDirectory()
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let pool = PostgresPool(try PostgresAddress(address))
    try await pool.script("CREATE TABLE invoices (id bigint)")
    #expect(await code { _ = try await Self.open(address, directory, "a") } == .foreignDatabase)
    try await pool.script("DROP TABLE invoices")
    await (try await Self.open(address, directory, "a")).close()
    try await pool.script("UPDATE kennel SET version = version + 1")
    #expect(await code { _ = try await Self.open(address, directory, "a") } == .newerSchema)
    pool.close()
  }

  @Test func `the words of an earlier version get their periods`() async throws {
    let directory = try TemporaryDirectory()
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    let old = try await Self.open(address, directory, "data")
    let ada = try await old.addUser()
    for number in 0..<8 {
      let taken = try TakenTime.at("19\(60 + number * 5)-07-10T12:00Z")
      _ = try await old.addPost(number, by: ada, caption: "Rex \(number)", taken: taken)
    }
    let binned = try await old.addPost(9, by: ada, caption: "Rex in the bin", taken: .at("1961-07-10T12:00Z"))
    try await old.posts.moveToBin(binned.id, by: ada.id)
    await old.close()
    let pool = PostgresPool(try PostgresAddress(address))
    // The words of one post are too many to be changed in SQL.
    try await pool.script(
      """
      UPDATE search SET words = ts_delete(words, ARRAY(
        SELECT word FROM unnest(tsvector_to_array(words)) word WHERE word LIKE '%#%'
      ));
      UPDATE search SET words = words || CAST((
        SELECT string_agg('word' || number || ':7', ' ') FROM generate_series(1, 33000) number
      ) AS tsvector) WHERE post = 3;
      DROP TRIGGER search_periods ON search;
      DROP FUNCTION search_periods, search_words;
      UPDATE kennel SET version = 27
      """)
    pool.close()
    let new = try await Self.open(address, directory, "data")
    try await new.posts.restore(binned.id, by: ada.id)
    let found = try await new.database.read { connection throws(KennelError) in
      let query = try SearchQuery("rex")
      return try SearchPage(
        expression: query.expression(.postgres) ?? "", periods: query.periods,
        start: .first, limit: 20, walkLength: 1
      ).ids(connection)
    }
    #expect(found == [8, 7, 6, 5, 4, 3, 2, binned.id, 1])
    #expect(try await new.check().problems == [])
    await new.close()
  }

  @Test func `a directory is used with the database that it began with`() async throws {
    let directory = try TemporaryDirectory()
    let address = try #require(try await RecordsKind.postgres.makeDatabase())
    await (try await Self.open(address, directory, "data")).close()
    #expect(KennelStore.exists(in: directory.path("data")))
    #expect(await code { try await withStore(in: directory) { _ in } } == .cannotOpen)
    let other = try TemporaryDirectory()
    try await withStore(in: other) { _ in }
    #expect(await code { _ = try await Self.open(address, other, "data") } == .cannotOpen)
  }

  @Test func `no error contains the password`() async throws {
    let directory = try TemporaryDirectory()
    for address in [
      "postgres://ada:secret@localhost:1/kennel", "postgres://ada:secret@[bad/kennel",
      "mysql://ada:secret@x/y",
      "postgres://ada:secret@localhost:99999/kennel", "postgres://ada:se@cret@localhost/kennel",
      "postgres://ada:12/cret@localhost",
    ] {
      let error = await #expect(throws: KennelError.self) {
        _ = try await Self.open(address, directory, "data")
      }
      let text = "\(try #require(error)) \(error?.cause ?? "")"
      #expect(!text.contains("cret"), "\(address)")
    }
  }

  @Test func `texts with NUL and with characters for private use come back as they were`() async throws {
    let texts = [
      "", "a\0b", "\0", "\u{100000}", "\u{100001}", "a\u{100000}\u{100001}\0\u{100000}", "dog 🐕 \u{10FFFF}",
    ]
    for text in texts {
      #expect(!TextWithNUL.encoded(text).unicodeScalars.contains("\0"))
      #expect(TextWithNUL.decoded(TextWithNUL.encoded(text)).utf8.elementsEqual(text.utf8))
    }
    #expect(Set(texts.map { Array(TextWithNUL.encoded($0).utf8) }).count == texts.count)
    try await withStore(.postgres) { store in
      let ada = try await store.addUser()
      for text in texts {
        let post = try await store.addPost(1, by: ada, caption: text)
        #expect(try await store.posts.post(post.id).caption.utf8.elementsEqual(text.utf8))
      }
    }
  }

  @Test func `the tables have the columns of SQLite's tables`() async throws {
    // A new migration needs a step for PostgreSQL, too.
    #expect(PostgresSchema.version == Migration.all.count)
    let columns = try await withStore { store in
      try await store.database.read { connection throws(KennelError) in
        try connection.rows(
          """
          SELECT t.name || '.' || c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
          WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE 'search%' ORDER BY 1
          """
        ) { $0.text(0) }
      }
    }
    let others = try await withStore(.postgres) { store in
      try await store.database.read { connection throws(KennelError) in
        try connection.rows(
          """
          SELECT table_name || '.' || column_name COLLATE "C" FROM information_schema.columns
          WHERE table_schema = current_schema() AND table_name NOT LIKE 'search%' AND table_name <> 'kennel' ORDER BY 1
          """
        ) { $0.text(0) }
      }
    }
    #expect(columns == others)
  }
}

/// A number that several threads increase.
private final class SharedCounter: Sendable {
  private let number = Mutex(0)
  var value: Int { number.withLock { $0 } }
  func add() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }
}
