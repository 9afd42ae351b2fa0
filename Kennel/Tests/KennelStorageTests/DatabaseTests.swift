import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct DatabaseTests {
  @Test func `a failed change is rolled back without affecting others`() async throws {
    try await withStore { store in
      let database = store.database
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            try? await database.write { transaction throws(KennelError) in
              try transaction.connection.run(
                "INSERT INTO removals (hash) VALUES (?)",
                .blob(Sodium.sha256([UInt8(number)])))
              if number % 3 == 0 { throw KennelError(.failed, "No") }
            }
          }
        }
      }
      let count = try await database.read { connection throws(KennelError) in
        try connection.first("SELECT count(*) FROM removals") { $0.integer(0) }
      }
      #expect(count == 133)
    }
  }

  @Test func `a reader sees one consistent state during writes`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let begun = Gate()
      let written = Gate()
      async let counts = store.database.read { connection throws(KennelError) in
        let before = try connection.first("SELECT count(*) FROM posts") { $0.integer(0) }
        begun.open()
        written.waitBlocking()
        let after = try connection.first("SELECT count(*) FROM posts") { $0.integer(0) }
        return [before, after]
      }
      await begun.wait()
      try await store.addPost(1, by: ada)
      written.open()
      #expect(try await counts == [0, 0])
      #expect(try await store.posts.page().count == 1)
    }
  }

  @Test func aReaderCannotWrite() async throws {
    try await withStore { store in
      let error = await code {
        try await store.database.read { connection throws(KennelError) in
          _ = try connection.run("DELETE FROM posts")
        }
      }
      #expect(error == .notWritable)
    }
  }

  @Test func `every commit is synced and foreign keys are enforced`() async throws {
    try await withStore { store in
      let settings = try await store.database.write { transaction throws(KennelError) in
        let connection = transaction.connection
        return [
          try connection.first("PRAGMA synchronous") { $0.text(0) },
          try connection.first("PRAGMA journal_mode") { $0.text(0) },
          try connection.first("PRAGMA foreign_keys") { $0.text(0) },
        ]
      }
      #expect(settings == ["2", "wal", "1"])
    }
  }

  @Test func `a database locked by another program is reported as busy`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.database.busyTimeout = .zero }) { store in
      let other = try Connection(
        path: directory.path("data") + "/kennel.sqlite", access: .writing, busyTimeout: .zero)
      try other.script("BEGIN IMMEDIATE")
      #expect(await code { _ = try await store.addUser() } == .busy)
      try other.script("ROLLBACK")
      _ = try await store.addUser()
    }
  }

  @Test func `calls to a closed store fail with closed`() async throws {
    let directory = try TemporaryDirectory()
    let store = try await KennelStore.open(directory.path("data"), configuration: .forTest)
    await store.close()
    #expect(await code { _ = try await store.posts.page() } == .closed)
    #expect(await code { _ = try await store.addUser() } == .closed)
    #expect(await code { _ = try await store.photos.stage(Data([1])) } == .closed)
  }
}
