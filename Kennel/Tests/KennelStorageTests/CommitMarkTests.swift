import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct CommitMarkTests {
  private func insert(_ number: Int, into database: any Records) async throws {
    _ = try await database.write { transaction throws(KennelError) in
      try transaction.connection.run(
        "INSERT INTO removals (hash) VALUES (?)", .blob(Sodium.sha256(Array("\(number)".utf8))))
    }
  }

  @Test func `each commit has a new mark, and nothing else changes the mark`() async throws {
    try await withStore { store in
      let database = store.database
      var seen: Set<CommitMark> = [try #require(database.commitMark)]
      for number in 0..<50 {
        try await insert(number, into: database)
        let mark = try #require(database.commitMark)
        #expect(seen.insert(mark).inserted)
        // Reading, a change that is rolled back, and a change of nothing are no commits.
        _ = try await store.posts.page()
        try? await database.write { transaction throws(KennelError) in
          try transaction.connection.run("INSERT INTO removals (hash) VALUES (?)", .blob(Sodium.sha256([1])))
          throw KennelError(.failed, "No")
        }
        _ = try await database.write { transaction throws(KennelError) in
          try transaction.connection.run("DELETE FROM removals WHERE hash = ?", .blob(Sodium.sha256([2])))
        }
        #expect(database.commitMark == mark)
      }
      // The log is written into the database and starts again.
      for number in 50..<60 {
        try await database.read { connection throws(KennelError) in
          _ = try connection.first("SELECT 1 FROM posts") { _ in true }
        }
        try await insert(number, into: database)
        #expect(seen.insert(try #require(database.commitMark)).inserted)
      }
    }
  }

  @Test func `a commit of another process changes the mark immediately`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      try await withStore(in: directory) { other in
        var mark = try #require(store.database.commitMark)
        for number in 0..<50 {
          try await insert(number, into: number.isMultiple(of: 2) ? other.database : store.database)
          let next = try #require(store.database.commitMark)
          #expect(next != mark)
          #expect(other.database.commitMark == next)
          mark = next
        }
      }
    }
  }

  @Test func `a mark is never one that hides a change that was read`() async throws {
    try await withStore { store in
      let database = store.database
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for number in 0..<300 { try await insert(number, into: database) } }
        for _ in 0..<3 {
          group.addTask {
            var latest: (mark: CommitMark, count: Int64)?
            for _ in 0..<300 {
              let before = database.commitMark
              let count = try await database.read { connection throws(KennelError) in
                try connection.first("SELECT count(*) FROM removals") { $0.integer(0) }
              }
              let after = database.commitMark
              guard let before, before == after, let count else { continue }
              if let latest, latest.mark == before { #expect(latest.count == count) }
              latest = (before, count)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `a closed database has no mark`() async throws {
    let store = try await withStore { $0 }
    #expect(store.database.commitMark == nil)
    #expect(CommitWatch(index: nil).mark == nil)
  }

  @Test func `a value belongs to the mark that was read before it`() {
    var value = ValueAtCommit<Int>()
    #expect(value.value(at: CommitMark(SIMD8(repeating: 1))) == nil)
    value.store(7, readAfter: CommitMark(SIMD8(repeating: 1)))
    #expect(value.value(at: CommitMark(SIMD8(repeating: 1))) == 7)
    #expect(value.value(at: CommitMark(SIMD8(repeating: 2))) == nil)
    #expect(value.value(at: nil) == nil)
    // Without a mark, nothing is known about the value.
    value.store(8, readAfter: nil)
    #expect(value.value(at: CommitMark(SIMD8(repeating: 1))) == 7)
    #expect(value.value(at: nil) == nil)
  }
}
