import Foundation
import PostgresClient
import Synchronization

/// Records in PostgreSQL, which any number of processes share.
///
/// There is one writer at a time, as with SQLite: each transaction that changes something begins by taking an advisory lock, so
/// code that reads first and writes then is right, and the numbers of posts and events become visible in their order. Changes
/// that wait in one process at the same time are committed together. Readers wait for nobody.
package final class PostgresRecords: Records {
  /// The number of connections for reading. One more writes, and one listens.
  package static let readerCount = 7
  private static let maximumBatchSize = 64
  private static let maximumWaitingCount = 20_000
  /// How long a reader of ``readChanges(_:)`` may miss a change if messages are lost.
  private static let longestSilence = Duration.seconds(30)
  /// How long work may wait for a connection. Then it fails, so that nothing waits for minutes.
  private static let longestWait = Duration.seconds(10)
  /// How long changes that are committed together may take before the rest of them fails. It is less than the time that one statement
  /// waits for a lock (``PostgresSchema/beginWriting``), so at most one change of each commit waits for a lock of another program.
  private static let maximumBatchTime = Duration.seconds(9)
  /// How often the listening connection is checked.
  private static let heartbeat = Duration.seconds(10)
  private static let channel = "kennel"

  package let writer: BlockingWorkQueue<WriteTransaction>
  package let reader: BlockingWorkQueue<any RecordConnection>
  private let place: PostgresAddress
  private let connections: Connections
  private let commits: Commits
  private let listener: Task<Void, Never>
  /// The pool whose only purpose is to listen.
  private let listening: PostgresPool
  private let others: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

  /// Connects, and creates the tables if the database is empty. It blocks.
  ///
  /// - Parameters:
  ///   - address: the address, such as `postgres://kennel@localhost/kennel`.
  ///   - beforeCommit: completes each transaction before its commit. If it throws, the transaction is rolled back.
  ///   - prepare: reads what the caller needs to know before the first change.
  package init(
    _ address: String,
    beforeCommit: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Void = { _ in },
    prepare: (any RecordConnection) throws(KennelError) -> Void = { _ in }
  ) throws(KennelError) {
    let place: PostgresAddress
    do throws(PostgresError) { place = try PostgresAddress(address) } catch { throw KennelError(error) }
    // Creating the tables may take long.
    let unlimited = PostgresRecordConnection(place, limits: PostgresPool.Limits())
    try PostgresSchema.bringUpToDate(unlimited)
    unlimited.close()
    let outage = RecentOutage()
    let connections = Connections(
      writing: PostgresRecordConnection(place, outage: outage, wasAccepted: true),
      reading: (0..<Self.readerCount).map { _ in
        PostgresRecordConnection(place, outage: outage, wasAccepted: true)
      })
    try connections.prepare(prepare)
    let commits = Commits()
    let others = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.place = place
    self.connections = connections
    self.commits = commits
    self.others = others
    writer = BlockingWorkQueue(
      "changes", slots: 1, batch: Self.maximumBatchSize, maximumWaitingCount: Self.maximumWaitingCount
    ) { _, jobs in
      connections.write(PostgresRecords.inTime(jobs), beforeCommit: beforeCommit, commits)
      if commits.takeUnpublished() { others.continuation.yield() }
    }
    reader = BlockingWorkQueue(
      "reads", slots: Self.readerCount, maximumWaitingCount: Self.maximumWaitingCount
    ) { slot, jobs in
      for job in PostgresRecords.inTime(jobs) { connections.read(job, slot: slot) }
    }
    var limits = PostgresRecordConnection.limits
    limits.heartbeat = Self.heartbeat
    let pool = PostgresPool(place, limits: limits)
    listening = pool
    let messages = pool.notifications(on: [Self.channel])
    listener = Task.detached {
      for await message in messages {
        commits.received(message)
        others.continuation.yield()
      }
    }
  }

  /// Returns the jobs that have not waited too long. The others fail.
  private static func inTime<Context>(
    _ jobs: [BlockingWorkQueue<Context>.Job]
  ) -> [BlockingWorkQueue<Context>.Job] {
    let oldest = ContinuousClock.now - longestWait
    return jobs.filter { job in
      if job.submitted >= oldest { return true }
      job.fail(KennelError(.busy, "The database is busy or does not answer. Try again in a moment."))
      return false
    }
  }

  package func readChanges<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value? {
    guard let token = commits.takeNews(longestSilence: Self.longestSilence) else { return nil }
    do throws(KennelError) { return try await reader.run(work) } catch {
      commits.putBack(token)
      throw error
    }
  }

  package func changesOfOthers() -> AsyncStream<Void>? { others.stream }

  /// A mark of the latest commit that this process knows. Those of other processes arrive within milliseconds. It is nil while
  /// there is no connection that would report them.
  package var commitMark: CommitMark? { commits.mark }

  package func copy(to path: String) throws(KennelError) -> Connection {
    let source = PostgresRecordConnection(place, limits: PostgresPool.Limits(), wasAccepted: true)
    defer { source.close() }
    try source.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let target = try Connection.fillingNewFile(at: path)
    try TableCopy().run(from: source, to: target)
    try target.commit()
    return target
  }

  package func close() async {
    listener.cancel()
    others.continuation.finish()
    await reader.close()
    await writer.close()
    connections.close()
    listening.close()
  }

  /// What this process knows about commits.
  private final class Commits: Sendable {
    private struct State: Sendable {
      /// Changes with each commit.
      var number: UInt64 = 1
      var isListening = false
      var hasNews = true
      var lastLook: ContinuousClock.Instant?
      /// Whether the connection was lost after a commit, so that its events may not be published.
      var hasUnpublished = false
    }

    private let state = Mutex(State())
    /// The name of this process in its messages.
    let sender = UUID().uuidString

    var mark: CommitMark? { state.withLock { $0.isListening ? CommitMark($0.number) : nil } }

    func committed() { state.withLock { $0.number += 1 } }

    /// A connection that had committed something was lost. The next look finds what it could not publish.
    func lostAfterCommit() { state.withLock { ($0.hasNews, $0.hasUnpublished) = (true, true) } }

    func takeUnpublished() -> Bool {
      state.withLock { state in
        defer { state.hasUnpublished = false }
        return state.hasUnpublished
      }
    }

    func received(_ message: PostgresNotifications.Element) {
      state.withLock { state in
        switch message {
        case .listening: state.isListening = true
        case .lost: state.isListening = false
        case .missed: break
        case .notification(let notification): if notification.payload == sender { return }
        }
        state.number += 1
        state.hasNews = true
      }
    }

    /// Returns the time of the look before if there may be changes by other processes, and notes this look.
    func takeNews(longestSilence: Duration) -> ContinuousClock.Instant?? {
      state.withLock { state -> ContinuousClock.Instant?? in
        let now = ContinuousClock.now
        let isLate = state.lastLook.map { now - $0 >= longestSilence } ?? true
        guard state.hasNews || isLate else { return nil }
        state.hasNews = false
        defer { state.lastLook = now }
        return .some(state.lastLook)
      }
    }

    /// A look failed, and is repeated.
    func putBack(_ lastLook: ContinuousClock.Instant?) {
      state.withLock { state in
        state.hasNews = true
        state.lastLook = lastLook
      }
    }
  }

  /// The connections that the work queues use.
  ///
  /// `@unchecked`: only the writer's single slot uses the writing connection, and each reading connection is used only by the slot
  /// with its number. `close()` uses all of them after the work queues have finished.
  private final class Connections: @unchecked Sendable {
    private let writing: PostgresRecordConnection
    private let reading: [PostgresRecordConnection]

    init(writing: PostgresRecordConnection, reading: [PostgresRecordConnection]) {
      self.writing = writing
      self.reading = reading
    }

    func prepare(_ body: (any RecordConnection) throws(KennelError) -> Void) throws(KennelError) {
      try PostgresMoveMark.requireUsable(writing)
      try writing.begin("BEGIN READ ONLY")
      defer { writing.rollBack() }
      try body(writing)
    }

    func read(_ job: BlockingWorkQueue<any RecordConnection>.Job, slot: Int) {
      let connection = reading[slot]
      var attempts = 1
      while true {
        do throws(KennelError) {
          try connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
          let answer = try job.attempt(connection)
          connection.rollBack()
          return answer()
        } catch {
          connection.rollBack()
          // An idle connection may have been closed by the server.
          guard error.mayRepeat, attempts < 3 else { return job.fail(error) }
          attempts += 1
        }
      }
    }

    func write(
      _ jobs: [BlockingWorkQueue<WriteTransaction>.Job],
      beforeCommit: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Void, _ commits: Commits
    ) {
      var hasCommitted = false
      WriteBatch(
        begin: { [writing] _ throws(KennelError) in try writing.begin(PostgresSchema.beginWriting) },
        beforeCommit: { connection throws(KennelError) in
          try beforeCommit(connection)
          // The kennel may have been moved away since this process opened the database.
          let isMoved = try connection.first(
            "SELECT pg_notify('kennel', ?), obj_description(to_regclass('kennel'), 'pg_class')",
            .text(commits.sender)
          ) { PostgresMoveMark(rawValue: $0.text(1)) == .moved }
          if isMoved == true { throw PostgresMoveMark.movedAway }
        },
        committed: {
          hasCommitted = true
          commits.committed()
        },
        maximumTime: PostgresRecords.maximumBatchTime
      ).run(jobs, on: writing)
      if hasCommitted, writing.isLost { commits.lostAfterCommit() }
    }

    func close() {
      writing.close()
      for connection in reading { connection.close() }
    }
  }
}
