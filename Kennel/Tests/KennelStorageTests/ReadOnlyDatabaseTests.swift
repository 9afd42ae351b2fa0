import Foundation
import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelStorage

@Suite struct ReadOnlyDatabaseTests {
  private func insert(_ number: Int, in path: String) throws {
    let connection = try Connection(path: path, access: .writing, busyTimeout: .seconds(5))
    try connection.run("INSERT INTO decisions VALUES (?, '')", .text("\(number)"))
  }

  private func kennel(in directory: TemporaryDirectory) async throws -> String {
    let path = directory.path("kennel.sqlite")
    try FileCalls.makeFile(path)
    await (try Database(path: path)).close()
    return path
  }

  @Sendable private static func count(_ connection: any RecordConnection) throws(KennelError) -> Int64? {
    try connection.first("SELECT count(*) FROM decisions") { $0.integer(0) }
  }

  @Test func `a read is repeated when another process changes the file without leaving a log`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await kennel(in: directory)
    let database = ReadOnlyDatabase(path: path)
    let attempts = Attempts()
    let count = try await database.read { connection throws(KennelError) in
      let before = try Self.count(connection)
      if attempts.add() == 1 { try? self.insert(1, in: path) }
      return before
    }
    #expect(count == 1)
    #expect(attempts.count == 2)
    await database.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["kennel.sqlite"])
  }

  @Test func `work between commits is repeated after a commit`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await kennel(in: directory)
    let other = try Database(path: path)
    defer { withExtendedLifetime(other) {} }
    try insert(1, in: path)
    let database = ReadOnlyDatabase(path: path)
    let attempts = Attempts()
    let count = try await database.readBetweenCommits { connection throws(KennelError) in
      let before = try Self.count(connection)
      if attempts.add() == 1 { try? self.insert(2, in: path) }
      return before
    }
    #expect(count == 2 && attempts.count == 2)
    await database.close()
    await other.close()
  }

  @Test func `nothing can be written`() async throws {
    let directory = try TemporaryDirectory()
    let path = try await kennel(in: directory)
    let database = ReadOnlyDatabase(path: path)
    await #expect(throws: KennelError.self) {
      try await database.read { connection throws(KennelError) in
        try connection.run("INSERT INTO decisions VALUES ('a', '')")
      }
    }
    await database.close()
  }
}

/// Counts the attempts of a piece of work.
private final class Attempts: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }

  func add() -> Int {
    state.withLock { count in
      count += 1
      return count
    }
  }
}
