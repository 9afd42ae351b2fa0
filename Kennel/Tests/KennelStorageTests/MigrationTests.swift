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
          INSERT INTO users (id, name, folded, role, password, created) VALUES (1, 'Ada', 'ada', 'owner', '', 5);
          INSERT INTO photos (hash, bytes, width, height, format, thumbhash)
          VALUES (zeroblob(32), 3, 4, 5, 'png', x'01');
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
      // Before this step, a kennel was open to everyone.
      let decisions = try #require(Migration.all.firstIndex { $0.script == Migration.decisions.script })
      #expect(try await store.visibility() == (1...decisions ~= version ? .undecided : .people))
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

  /// Creates a database of the version before viewers, with users, a session, a post, a heart and a comment.
  private static func makeDatabaseWithoutViewers(_ directory: TemporaryDirectory) async throws -> String {
    try FileCalls.makeDirectory(directory.path("data"))
    let path = directory.path("data") + "/kennel.sqlite"
    try FileCalls.makeFile(path)
    let index = try #require(Migration.all.firstIndex { $0.script == Migration.people.script })
    let old = try Database(path: path, migrations: Array(Migration.all.prefix(index)))
    try await old.write { transaction throws(KennelError) in
      try transaction.connection.script(
        """
        INSERT INTO users (id, name, folded, role, password, created)
        VALUES (1, 'Ada', 'ada', 'owner', 'x', 5), (2, 'Ben', 'ben', 'member', 'y', 6), (9, 'Eve', 'eve', 'member', 'z', 7);
        DELETE FROM users WHERE id = 9;
        INSERT INTO sessions VALUES (zeroblob(32), 1, 5, 9000000000000), (x'\(String(repeating: "01", count: 32))', 2, 6, 9000000000000);
        INSERT INTO photos (hash, bytes, width, height, format, thumbhash)
            VALUES (zeroblob(32), 3, 4, 5, 'png', x'01');
        INSERT INTO posts (id, author, photo, caption, created) VALUES (7, 2, zeroblob(32), 'before', 6);
        INSERT INTO favourites VALUES (7, 1, 8);
        INSERT INTO comments (post, author, text, created) VALUES (7, 1, 'Good dog', 9);
        """)
    }
    await old.close()
    return path
  }

  @Test func `a table of users that is made again keeps everything that refers to it`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await Self.makeDatabaseWithoutViewers(directory)
    try await withStore(in: directory) { store in
      #expect(try await store.accounts.users().map(\.name) == ["Ada", "Ben"])
      let post = try await store.posts.post(7)
      #expect(post.authorName == "Ben" && post.favouriteCount == 1 && post.commentCount == 1)
      #expect(try await store.accounts.sessions(of: 1, current: nil).count == 1)
      #expect(try await store.accounts.sessions(of: 2, current: nil).first?.used == Date(milliseconds: 6))
      // The id of a removed user is not used again, also not after this step.
      #expect(try await store.addUser("Cleo").id == 10)
      try await store.accounts.setRole(.viewer, of: 2)
      #expect(try await store.check().problems.filter { $0 != .missing(post.photo) } == [])
      // Foreign keys are enforced again.
      let code = await code {
        try await store.database.write { transaction throws(KennelError) -> Void in
          try transaction.connection.run("UPDATE posts SET author = 99")
        }
      }
      #expect(code == .constraint)
      #expect(try await store.accounts.removeUser(2).posts == 1)
    }
    let connection = try Connection(path: path, access: .copying, busyTimeout: .zero)
    let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'users%'") { $0.text(0) }
    #expect(tables == ["users"])
  }

  @Test func `counters continue where the sequences of an earlier version ended`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await Self.makeDatabaseWithoutViewers(directory)
    let connection = try Connection(path: path, access: .writing, busyTimeout: .zero)
    try connection.script(
      "INSERT INTO events (id, kind, post, created) VALUES (41, 'posted', 7, 5); DELETE FROM events")
    await (try Database(path: path)).close()
    let counters = try connection.rows("SELECT name, value FROM counters ORDER BY name") {
      "\($0.text(0)) \($0.integer(1))"
    }
    // Of nine ids, two belong to users.
    #expect(counters == ["events 41", "names 7"])
  }

  @Test func `a migration that would lose a reference is not done`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await Self.makeDatabaseWithoutViewers(directory)
    let connection = try Connection(path: path, access: .writing, busyTimeout: .zero)
    try connection.script("PRAGMA foreign_keys = OFF; DELETE FROM users WHERE id = 2")
    let error = #expect(throws: KennelError.self) { _ = try Database(path: path) }
    #expect(error?.code == .damaged)
    #expect(
      try connection.first("PRAGMA user_version") { Int($0.integer(0)) }
        == Migration.all.firstIndex { $0.script == Migration.people.script })
  }

  // MARK: Copies

  private static func copies(_ directory: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path("data"))
      .filter { $0.hasPrefix("kennel.sqlite.v") }.sorted()
  }

  @Test func `a database is copied before it is migrated, and not otherwise`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await Self.makeDatabaseWithoutViewers(directory)
    try await withStore(in: directory) { store in
      _ = try await store.addUser("Cleo", role: .viewer)
    }
    let name = try #require(try Self.copies(directory).first)
    #expect(name.wholeMatch(of: /kennel\.sqlite\.v\d+-\d{4}-\d{2}-\d{2}T\d{6}Z/) != nil)
    let copy = FileCalls.parent(of: path) + "/" + name
    let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let connection = try Connection(path: copy, access: .copying, busyTimeout: .zero)
    #expect(try connection.rows("SELECT name FROM users", row: { $0.text(0) }) == ["Ada", "Ben"])
    #expect(
      try connection.first("PRAGMA user_version") { Int($0.integer(0)) }
        == Migration.all.firstIndex { $0.script == Migration.people.script })
    try await withStore(in: directory) { _ in }
    #expect(try Self.copies(directory).count == 1)
    // A new database has nothing to copy.
    let other = try TemporaryDirectory()
    try await withStore(in: other) { _ in }
    #expect(try Self.copies(other).isEmpty)
  }

  @Test func `the latest copies are kept, and parts of copies are not`() async throws {
    let directory = try TemporaryDirectory()
    try FileCalls.makeDirectory(directory.path("data"))
    let path = directory.path("data") + "/kennel.sqlite"
    try FileCalls.makeFile(path)
    let connection = try Connection(path: path, access: .writing, busyTimeout: .zero)
    try connection.script("CREATE TABLE dogs (id INTEGER PRIMARY KEY)")
    for (version, seconds) in [(9, 100.0), (10, 200), (8, 300), (11, 400), (11, 400)] {
      try MigrationCopy.make(
        of: connection, path: path, version: version, date: Date(timeIntervalSince1970: seconds))
    }
    #expect(
      try Self.copies(directory) == [
        "kennel.sqlite.v10-1970-01-01T000320Z", "kennel.sqlite.v11-1970-01-01T000640Z",
        "kennel.sqlite.v8-1970-01-01T000500Z",
      ])
  }

  #if DEBUG
  // A fault affects the next call in the complete process, so this runs in a separate one.
  @Test func `without space for a copy, nothing is migrated`() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let path = try await MigrationTests.makeDatabaseWithoutViewers(directory)
      for fault in [StorageFault.createFile, .syncFile, .renameFile] {
        fault.arm()
        let error = #expect(throws: KennelError.self) { _ = try Database(path: path) }
        #expect(StorageFault.disarm(), "\(fault)")
        #expect(error?.code == .diskFull, "\(fault)")
        #expect(try MigrationTests.copies(directory).isEmpty, "\(fault)")
      }
      let connection = try Connection(path: path, access: .copying, busyTimeout: .zero)
      #expect(
        try connection.first("PRAGMA user_version") { Int($0.integer(0)) }
          == Migration.all.firstIndex { $0.script == Migration.people.script })
    }
  }
  #endif

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
