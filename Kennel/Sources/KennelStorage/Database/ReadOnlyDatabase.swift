import Glibc

/// A kennel's database that is read without creating, changing or locking anything. The kennel can be served meanwhile.
///
/// SQLite changes files even when it only reads: it creates the write-ahead log, and notes readers in the index of the log.
/// So the index is opened read-only. After a kill, when no process maintains it, SQLite makes one in memory from the log.
/// Without a log, the database file is complete, and is read as it is. If another process opens it meanwhile, the read is
/// repeated.
package final class ReadOnlyDatabase: Sendable {
  private let reader: Reader
  private let queue = BlockingWorkQueue<Void>("reads", slots: 1, maximumWaitingCount: 100)

  /// - Parameter path: the path of the database file.
  package init(path: String, migrations: [Migration] = Migration.all) {
    reader = Reader(path: path, migrations: migrations)
  }

  /// Reads one consistent state of the database. The work may run several times.
  ///
  /// - Throws: `olderSchema`, `newerSchema` or `foreignDatabase` for a database of another version, `unfinished` for one that
  ///   cannot be read before a process with write permission has opened it, and errors of the work.
  func readFile<Value: Sendable>(
    _ work: @escaping @Sendable (Connection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await queue.run { [reader] () throws(KennelError) in
      try reader.attempt { connection throws(KennelError) in
        try connection.run("BEGIN")
        defer { connection.rollBack() }
        return try work(connection)
      }
    }
  }

  /// Does work during which no process commits a change. The work runs several times if necessary.
  ///
  /// - Returns: nil if changes were committed during each of a thousand attempts.
  package func readBetweenCommits<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value? {
    try await queue.run { [reader] () throws(KennelError) in
      try reader.attempt { connection throws(KennelError) in
        for _ in 1...1000 {
          let before = try connection.dataVersion()
          let value = try work(connection)
          if try connection.dataVersion() == before { return value }
        }
        return nil
      }
    }
  }

  /// Closes the file after the work that has begun.
  package func close() async {
    await queue.close()
    reader.close()
  }
}

extension Connection {
  /// "The integer values returned by two invocations of "PRAGMA data_version" from the same connection will be different if
  /// changes were committed to the database by any other connection in the interim."
  fileprivate func dataVersion() throws(KennelError) -> Int64? {
    try first("PRAGMA data_version") { $0.integer(0) }
  }
}

/// The connection of a read-only database, which is opened again when the files require another way.
///
/// `@unchecked`: only the single slot of the work queue uses it, and `close()` after the queue has finished.
private final class Reader: @unchecked Sendable {
  /// The files of the database at one moment.
  private struct Files: Equatable {
    var database: FileCalls.FileVersion?
    var hasLog: Bool
    var hasIndex: Bool
    var hasJournal: Bool

    /// "A WAL file consists of a header followed by zero or more frames." "The WAL header is 32 bytes in size".
    private static let logHeaderSize = 32

    init(_ path: String) {
      func size(_ path: String) -> Int { FileCalls.version(of: path)?.byteCount ?? 0 }
      database = FileCalls.version(of: path)
      // A process that is killed at the right moment leaves a log with a header only. SQLite does not read such a log with an
      // index that it may not change.
      hasLog = size(path + "-wal") > Self.logHeaderSize
      hasIndex = FileCalls.version(of: path + "-shm") != nil
      hasJournal = size(path + "-journal") > 0
    }
  }

  private static let maximumAttemptCount = 50

  private let path: String
  private let migrations: [Migration]
  private var connection: Connection?
  /// The files that the connection reads as they are; nil if it reads them with the log.
  private var settled: Files?

  init(path: String, migrations: [Migration]) {
    self.path = path
    self.migrations = migrations
  }

  func close() { connection = nil }

  func attempt<Value>(_ work: (Connection) throws(KennelError) -> Value) throws(KennelError) -> Value {
    var latest: KennelError?
    for attempt in 1...Self.maximumAttemptCount {
      do throws(KennelError) {
        let value = try work(try open())
        guard let settled, settled != Files(path) else { return value }
      } catch {
        // Without a process that maintains the index, the header of the log must be valid.
        if error.isLockingProtocol { throw unfinished }
        // Another process has begun or stopped to use the database, or the index is not usable at this moment.
        let mayPass = [.busy, .cannotOpen, .notWritable, .unfinished].contains(error.code)
        guard mayPass || settled.map({ $0 != Files(path) }) == true else { throw error }
        latest = error
      }
      connection = nil
      settled = nil
      if attempt > 1 { poll(nil, 0, 10) }
    }
    throw latest
      ?? KennelError(
        .busy, "The database at \(path) is opened and closed by other programs all the time. Try again.")
  }

  private func open() throws(KennelError) -> Connection {
    if let connection { return connection }
    let files = Files(path)
    if files.hasJournal || files.hasLog && !files.hasIndex { throw unfinished }
    let isSettled = !files.hasLog
    let connection = try Connection(
      path: path, access: .inspecting(isSettled: isSettled), busyTimeout: .seconds(5))
    settled = isSettled ? files : nil
    try Migration.requireCurrent(connection, path: path, migrations: migrations)
    self.connection = connection
    return connection
  }

  private var unfinished: KennelError {
    KennelError(
      .unfinished,
      "The latest changes are not in the database at \(path) yet, because a program that used it was interrupted. "
        + "Start the server, or run kennel check --repair, to complete them.")
  }
}
