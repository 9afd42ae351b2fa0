import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct MigrationTests {
  private func makeFile(_ directory: TemporaryDirectory) throws -> String {
    let path = directory.path("kennel.sqlite")
    try FileCalls.makeFile(path)
    return path
  }

  @Test(arguments: 0..<Migration.all.count)
  func `migrating any older version keeps its posts`(version: Int) async throws {
    let directory = try TemporaryDirectory()
    try FileCalls.makeDirectory(directory.path("data"))
    let path = directory.path("data") + "/kennel.sqlite"
    try FileCalls.makeFile(path)
    if version > 0 {
      let old = try Database(path: path, migrations: Array(Migration.all.prefix(version)))
      try await old.write { transaction throws(KennelError) in
        try transaction.connection.script(
          """
          INSERT INTO users VALUES (1, 'Ada', 'ada', 'owner', '', 5);
          INSERT INTO photos VALUES (zeroblob(32), 3, 4, 5, 'png', x'01');
          INSERT INTO posts (id, author, photo, caption, created) VALUES (7, 1, zeroblob(32), 'before', 6);
          """)
      }
      await old.close()
    }
    try await withStore(in: directory) { store in
      let user = try await version > 0 ? store.accounts.user(named: "ada") : store.addUser()
      let ada = try #require(user)
      let post = try await store.addPost(1, by: ada, caption: "after")
      try await store.posts.setFavourite(true, post: post.id, user: ada.id)
      _ = try await store.posts.addComment("Good dog", to: post.id, author: ada.id)
      let posts = try await store.posts.page()
      #expect(posts.map(\.caption) == (version > 0 ? ["after", "before"] : ["after"]))
      #expect(posts.first?.favouriteCount == 1)
      #expect(posts.first?.commentCount == 1)
      // Kennels of the versions before this decision were open to everyone.
      let decision = try #require(Migration.all.firstIndex { $0.script == Migration.decisions.script })
      #expect(try await store.visibility() == ((1...decision).contains(version) ? .undecided : .people))
    }
  }

  @Test func `a decision about the visibility is kept`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      for visibility in [Visibility.everyone, .people, .everyone] {
        try await store.setVisibility(visibility)
        #expect(try await store.visibility() == visibility)
      }
    }
    try await withStore(in: directory) { store in
      #expect(try await store.visibility() == .everyone)
      try await store.database.write { transaction throws(KennelError) -> Void in
        try transaction.connection.run("UPDATE decisions SET value = 'friends of friends'")
      }
      // A later version wrote this.
      #expect(try await store.visibility() == .people)
    }
  }

  @Test func `opening twice applies each migration once`() async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<3 {
      try await withStore(in: directory) { store in
        #expect(try await store.accounts.users().count == number)
        _ = try await store.addUser("user \(number)")
      }
    }
  }

  @Test func `a database of a later version is refused`() async throws {
    let directory = try TemporaryDirectory()
    let path = try makeFile(directory)
    let step = Migration(script: "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;")
    await (try Database(path: path, migrations: Migration.all + [step])).close()
    let error = #expect(throws: KennelError.self) { _ = try Database(path: path) }
    #expect(error?.code == .newerSchema)
    #expect(error?.description.contains("later version of Kennel") == true)
  }

  @Test func `a database of another program is refused and unchanged`() throws {
    let directory = try TemporaryDirectory()
    let path = try makeFile(directory)
    let connection = try Connection(path: path, access: .writing, busyTimeout: .zero)
    try connection.script("CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
    let error = #expect(throws: KennelError.self) { _ = try Database(path: path) }
    #expect(error?.code == .foreignDatabase)
    #expect(
      try connection.rows("SELECT name FROM sqlite_schema", row: { $0.text(0) }) == ["invoices"])
  }

  @Test func `a failed migration step keeps the old version`() async throws {
    let directory = try TemporaryDirectory()
    let path = try makeFile(directory)
    let broken = Migration(
      script: "CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE half (id);")
    #expect(throws: KennelError.self) {
      _ = try Database(path: path, migrations: Migration.all + [broken])
    }
    let database = try Database(path: path)
    await database.close()
  }

  @Test func `a file that is not a database is reported as damaged`() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Data(repeating: 65, count: 5000), to: "kennel.sqlite")
    let error = #expect(throws: KennelError.self) {
      _ = try Database(path: directory.path("kennel.sqlite"))
    }
    #expect(error?.code == .damaged)
  }
}
