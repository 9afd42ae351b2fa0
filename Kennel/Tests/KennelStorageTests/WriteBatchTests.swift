import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelStorage

/// Jobs that are committed together.
@Suite struct WriteBatchTests {
  /// The results of the jobs, in the order of their delivery.
  private final class Results: Sendable {
    private let all = Mutex<[String]>([])
    var list: [String] { all.withLock { $0 } }

    func add(_ text: String) { all.withLock { $0.append(text) } }

    /// Returns a job that reports its name, or the code of its error.
    func job(
      _ name: String, _ work: @escaping @Sendable () throws(KennelError) -> Void = {}
    ) -> WriteBatch.Job {
      WriteBatch.Job(
        attempt: { transaction throws(KennelError) in
          try work()
          try transaction.connection.run("INSERT INTO dogs DEFAULT VALUES")
          return { self.add(name) }
        }, fail: { self.add("\(name): \($0.code)") })
    }
  }

  private let results = Results()

  /// Runs jobs in one batch.
  ///
  /// - Parameter time: the time that has passed.
  /// - Returns: the number of changes that were committed.
  private func run(
    _ jobs: [WriteBatch.Job], time: @escaping () -> Duration = { .zero }
  ) throws -> Int64? {
    let directory = try TemporaryDirectory()
    try FileCalls.makeFile(directory.path("dogs.sqlite"))
    let connection = try Connection(
      path: directory.path("dogs.sqlite"), access: .writing, busyTimeout: .zero)
    try connection.script("CREATE TABLE dogs (id INTEGER PRIMARY KEY)")
    let start = ContinuousClock.now
    WriteBatch(
      begin: { connection throws(KennelError) in try connection.run("BEGIN IMMEDIATE") },
      beforeCommit: { _ throws(KennelError) in }, maximumTime: .seconds(9), now: { start + time() }
    ).run(jobs, on: connection)
    return try connection.first("SELECT count(*) FROM dogs") { $0.integer(0) }
  }

  @Test func `jobs behind one that waited for a lock fail immediately`() throws {
    let time = Mutex(Duration.zero)
    let locked: @Sendable () throws(KennelError) -> Void = { () throws(KennelError) in
      time.withLock { $0 += .seconds(10) }
      throw KennelError(.busy, "The table is locked.")
    }
    let jobs = [
      results.job("one"), results.job("two", locked), results.job("three", locked), results.job("four"),
    ]
    let count = try run(jobs, time: { time.withLock { $0 } })
    #expect(results.list == ["one", "two: busy", "three: busy", "four: busy"])
    #expect(time.withLock { $0 } == .seconds(10) && count == 1)
  }

  @Test func `a job that has a conflict is run again alone`() throws {
    let attempts = Mutex(0)
    let conflicting: @Sendable () throws(KennelError) -> Void = { () throws(KennelError) in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      guard attempt == 1 else { return }
      var error = KennelError(.busy, "Other changes were made at the same time.")
      error.mayRepeat = true
      throw error
    }
    let count = try run([results.job("one"), results.job("two", conflicting), results.job("three")])
    #expect(results.list == ["one", "three", "two"])
    #expect(attempts.withLock { $0 } == 2 && count == 3)
  }
}
