import Synchronization

/// Records in SQLite: one writer and a few readers. None of them runs on a thread of Swift's concurrency pool.
///
/// A write returns when it is on the disk. Writes that wait at the same time are committed together.
package final class Database: Records {
  /// Limits of a database.
  package struct Configuration: Sendable {
    /// The number of concurrent readers.
    package var readers = 3
    /// The maximum number of writes in one commit.
    package var maximumBatchSize = 64
    /// The maximum number of waiting reads, and of waiting writes. More are refused with `busy`.
    package var maximumWaitingCount = 20_000
    /// How long to wait while another program is writing.
    package var busyTimeout = Duration.seconds(5)

    package init() {}
  }

  package let writer: BlockingWorkQueue<WriteTransaction>
  package let reader: BlockingWorkQueue<any RecordConnection>
  private let path: String
  private let watcher: BlockingWorkQueue<any RecordConnection>
  private let connections: Connections
  private let commits: CommitWatch

  /// Opens the database, which must exist as a file, and applies missing migrations. It blocks briefly. Before a database of
  /// an earlier version is changed, a copy of it is made next to it (``MigrationCopy``).
  ///
  /// - Parameters:
  ///   - beforeCommit: completes each transaction before its commit. If it throws, the transaction is rolled back.
  ///   - prepare: reads what the caller needs to know before the first change.
  package init(
    path: String, configuration: Configuration = Configuration(), migrations: [Migration] = Migration.all,
    beforeCommit: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Void = { _ in },
    prepare: (any RecordConnection) throws(KennelError) -> Void = { _ in }
  ) throws(KennelError) {
    let writing = try Connection(path: path, access: .writing, busyTimeout: configuration.busyTimeout)
    try Migration.bringUpToDate(writing, path: path, migrations: migrations)
    try prepare(writing)
    var reading: [Connection] = []
    for _ in 0..<max(configuration.readers, 1) {
      reading.append(try Connection(path: path, access: .reading, busyTimeout: configuration.busyTimeout))
    }
    let watching = try Connection(path: path, access: .reading, busyTimeout: configuration.busyTimeout)
    commits = CommitWatch(index: try watching.logIndex())
    let connections = Connections(
      writing: writing, reading: reading, watching: watching, beforeCommit: beforeCommit)
    self.connections = connections
    self.path = path
    writer = BlockingWorkQueue(
      "changes", slots: 1, batch: configuration.maximumBatchSize,
      maximumWaitingCount: configuration.maximumWaitingCount
    ) { _, jobs in
      connections.write(jobs)
    }
    reader = BlockingWorkQueue(
      "reads", slots: reading.count, maximumWaitingCount: configuration.maximumWaitingCount
    ) { slot, jobs in
      for job in jobs { connections.read(job, slot: slot) }
    }
    watcher = BlockingWorkQueue("polls", slots: 1, maximumWaitingCount: 1) { _, jobs in
      for job in jobs { connections.watch(job) }
    }
  }

  /// Reads the database if any process has changed it since the last call. Otherwise, it returns nil without reading
  /// the file.
  package func readChanges<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value? {
    try await watcher.run { [connections] connection throws(KennelError) in
      // "The integer values returned by two invocations of "PRAGMA data_version" from the same connection will be
      // different if changes were committed to the database by any other connection in the interim."
      let version = try connection.first("PRAGMA data_version") { $0.integer(0) }
      guard version != connections.seenVersion else { return nil }
      let value = try work(connection)
      connections.seenVersion = version
      return value
    }
  }

  package func changesOfOthers() -> AsyncStream<Void>? { nil }

  package func copy(to target: String) throws(KennelError) -> Connection {
    try Connection.copy(of: path, to: target)
  }

  /// A mark of the latest commit, by any process, or nil if it is not known at this moment.
  package var commitMark: CommitMark? { commits.mark }

  /// Refuses new work, completes waiting work, and closes the file.
  package func close() async {
    commits.close()
    await watcher.close()
    await reader.close()
    await writer.close()
    connections.close()
  }
}

/// The connections that the work queues use.
///
/// `@unchecked`: only the writer's single slot uses the writing connection, and each reading connection is used only by
/// the slot with its number. Only the watcher's single slot uses the watching connection and the version. `close()`
/// uses all of them after the work queues have finished. A work queue's mutex separates two uses of a slot.
private final class Connections: @unchecked Sendable {
  private var writing: Connection?
  private var reading: [Connection]
  private var watching: Connection?
  /// The version of the database at the last poll.
  var seenVersion: Int64?

  private let beforeCommit: @Sendable (any RecordConnection) throws(KennelError) -> Void

  init(
    writing: Connection, reading: [Connection], watching: Connection,
    beforeCommit: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Void
  ) {
    self.beforeCommit = beforeCommit
    self.writing = writing
    self.reading = reading
    self.watching = watching
  }

  func close() {
    // Closing the last connection writes the log into the database file.
    watching = nil
    reading = []
    writing = nil
  }

  /// No transaction: within one, changes by others would not be visible.
  func watch(_ job: BlockingWorkQueue<any RecordConnection>.Job) {
    guard let watching else { return job.fail(.closed) }
    do throws(KennelError) { try job.attempt(watching)() } catch { job.fail(error) }
  }

  func read(_ job: BlockingWorkQueue<any RecordConnection>.Job, slot: Int) {
    do throws(KennelError) {
      let connection = reading[slot]
      try connection.run("BEGIN")
      let answer: @Sendable () -> Void
      do throws(KennelError) {
        answer = try job.attempt(connection)
      } catch {
        if connection.isInTransaction { try connection.run("ROLLBACK") }
        throw error
      }
      try connection.run("COMMIT")
      answer()
    } catch {
      job.fail(error)
    }
  }

  func write(_ jobs: [BlockingWorkQueue<WriteTransaction>.Job]) {
    guard let writing else { return jobs.forEach { $0.fail(.closed) } }
    WriteBatch(
      begin: { connection throws(KennelError) in
        // An earlier transaction that could not be rolled back must not include this one.
        if connection.isInTransaction { try connection.run("ROLLBACK") }
        try connection.run("BEGIN IMMEDIATE")
      }, beforeCommit: beforeCommit
    ).run(jobs, on: writing)
  }
}
