import Synchronization

/// The database: one writer, a few readers, none of them on a thread that runs Swift's tasks.
///
/// A write is answered when it is on the disk. Writes that wait for the disk together are committed together.
package final class Database: Sendable {
  /// Limits of a database.
  package struct Configuration: Sendable {
    /// How many read at the same time.
    package var readers = 3
    /// How many writes are committed at once at most.
    package var largestBatch = 64
    /// How many reads, and how many writes, wait at most; more are refused as busy.
    package var waitingLimit = 20_000
    /// How long to wait for another program that is writing.
    package var patience = Duration.seconds(5)

    package init() {}
  }

  private let writer: Lane<WriteTransaction>
  private let reader: Lane<Connection>
  private let watcher: Lane<Connection>
  private let connections: Connections

  /// The id of the latest event when the database was opened.
  let lastEventID: Int64

  /// Opens the database, which must exist as a file, and brings it up to date. Blocks for a moment.
  init(
    path: String, configuration: Configuration = Configuration(), migrations: [Migration] = Migration.all
  ) throws(KennelError) {
    let writing = try Connection(path: path, access: .writing, patience: configuration.patience)
    try Migration.bringUpToDate(writing, path: path, migrations: migrations)
    lastEventID = try EventLog.lastID(writing)
    var reading: [Connection] = []
    for _ in 0..<max(configuration.readers, 1) {
      reading.append(try Connection(path: path, access: .reading, patience: configuration.patience))
    }
    let watching = try Connection(path: path, access: .reading, patience: configuration.patience)
    let connections = Connections(writing: writing, reading: reading, watching: watching)
    self.connections = connections
    writer = Lane(
      "changes", slots: 1, batch: configuration.largestBatch, waitingLimit: configuration.waitingLimit
    ) { _, jobs in
      connections.write(jobs)
    }
    reader = Lane("questions", slots: reading.count, waitingLimit: configuration.waitingLimit) { slot, jobs in
      for job in jobs { connections.read(job, slot: slot) }
    }
    watcher = Lane("looks", slots: 1, waitingLimit: 1) { _, jobs in
      for job in jobs { connections.watch(job) }
    }
  }

  /// Changes something, in a transaction; returns when it is on the disk.
  ///
  /// The work may be done twice, when those it was to be committed with failed. Cancelling takes back a change that has
  /// not begun.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (WriteTransaction) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await writer.run(work)
  }

  /// A change nobody waits for.
  func writeLater(_ work: @escaping @Sendable (WriteTransaction) throws(KennelError) -> Void) {
    writer.submit(LaneTicket(), work) { _ in }
  }

  /// Reads one state of the database, whatever is written meanwhile.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable (Connection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await reader.run(work)
  }

  /// The callback face of `read`: `completion` is called once.
  func read<Value: Sendable>(
    _ ticket: LaneTicket, _ work: @escaping @Sendable (Connection) throws(KennelError) -> Value,
    completion: @escaping @Sendable (Result<Value, KennelError>) -> Void
  ) {
    reader.submit(ticket, work, completion: completion)
  }

  /// Reads when the database has changed since this was asked last, by whichever process; nil when it has not, which
  /// is found out without reading the file.
  func readChanges<Value: Sendable>(
    _ work: @escaping @Sendable (Connection) throws(KennelError) -> Value
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

  /// Refuses new work, ends what waits, and closes the file.
  package func close() async {
    await watcher.close()
    await reader.close()
    await writer.close()
    connections.close()
  }
}

/// The connections behind the lanes.
///
/// `@unchecked`: the writing connection is touched by the writer's one slot only, each reading one by the slot of its
/// number, the watching one and the version by the watcher's one slot, and all of them by `close()` once the lanes are at
/// rest; a lane's mutex stands between two uses of a slot.
private final class Connections: @unchecked Sendable {
  private var writing: Connection?
  private var reading: [Connection]
  private var watching: Connection?
  /// The database's version at the last look.
  var seenVersion: Int64?

  init(writing: Connection, reading: [Connection], watching: Connection) {
    self.writing = writing
    self.reading = reading
    self.watching = watching
  }

  func close() {
    // The last one to be closed brings the log into the file.
    watching = nil
    reading = []
    writing = nil
  }

  /// Without a transaction around it: within one, no change of others would be seen.
  func watch(_ job: Lane<Connection>.Job) {
    guard let watching else { return job.fail(.closed) }
    do throws(KennelError) { try job.attempt(watching)() } catch { job.fail(error) }
  }

  func read(_ job: Lane<Connection>.Job, slot: Int) {
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

  func write(_ jobs: [Lane<WriteTransaction>.Job]) {
    guard let writing else { return jobs.forEach { $0.fail(.closed) } }
    let transaction = WriteTransaction(connection: writing)
    if jobs.count > 1, together(jobs, transaction) { return }
    for job in jobs {
      do throws(KennelError) {
        try begin(writing)
        do throws(KennelError) {
          let answer = try job.attempt(transaction)
          try transaction.commit()
          answer()
        } catch {
          transaction.rollBack()
          throw error
        }
      } catch {
        job.fail(error)
      }
    }
  }

  /// False when the transaction failed as a whole: then each job is worth a try by itself.
  private func together(_ jobs: [Lane<WriteTransaction>.Job], _ transaction: WriteTransaction) -> Bool {
    do throws(KennelError) {
      try begin(transaction.connection)
    } catch {
      for job in jobs { job.fail(error) }
      return true
    }
    do throws(KennelError) {
      var answers: [@Sendable () -> Void] = []
      for job in jobs {
        do throws(KennelError) {
          answers.append(try transaction.nested(job.attempt))
        } catch {
          guard !transaction.isDoomed else { throw error }
          answers.append { job.fail(error) }
        }
      }
      try transaction.commit()
      for answer in answers { answer() }
      return true
    } catch {
      transaction.rollBack()
      return false
    }
  }

  private func begin(_ connection: Connection) throws(KennelError) {
    // A transaction that could not be rolled back must not swallow the next one.
    if connection.isInTransaction { try connection.run("ROLLBACK") }
    try connection.run("BEGIN IMMEDIATE")
  }
}
