/// The records of a kennel: everything except the bytes of its photos.
///
/// The work is synchronous, and runs on threads that may block.
package protocol Records: Sendable {
  /// Runs changes, each in a transaction or in one that it shares with others.
  var writer: BlockingWorkQueue<WriteTransaction> { get }
  /// Runs what reads, each in one consistent state.
  var reader: BlockingWorkQueue<any RecordConnection> { get }

  /// Reads if any process may have made a change since the last call. Otherwise, it returns nil.
  func readChanges<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value?

  /// An element for each moment at which other processes may have made changes; nil if only polling finds them.
  func changesOfOthers() -> AsyncStream<Void>?

  /// A mark of the latest commit, by any process, or nil if it is not known at this moment.
  var commitMark: CommitMark? { get }

  /// Copies all records, as they are at one moment, into an empty file of SQLite, and opens the copy. Writers need not wait. It
  /// blocks, so it must run on a separate thread.
  func copy(to path: String) throws(KennelError) -> Connection

  /// Refuses new work, and returns when waiting work is done.
  func close() async
}

extension Records {
  /// Makes a change in a transaction. Returns when it is committed.
  ///
  /// The work may run several times, for example if other work in the same transaction failed. Cancelling withdraws a change that
  /// has not begun.
  package func write<Value: Sendable>(
    _ work: @escaping @Sendable (WriteTransaction) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await writer.run(work)
  }

  /// Makes a change without waiting for it.
  package func writeLater(_ work: @escaping @Sendable (WriteTransaction) throws(KennelError) -> Void) {
    writer.submit(CancellationTicket(), work) { _ in }
  }

  /// Reads one consistent state, independent of concurrent changes.
  package func read<Value: Sendable>(
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    try await reader.run(work)
  }

  /// The callback form of `read`. `completion` is called once.
  package func read<Value: Sendable>(
    _ ticket: CancellationTicket,
    _ work: @escaping @Sendable (any RecordConnection) throws(KennelError) -> Value,
    completion: @escaping @Sendable (Result<Value, KennelError>) -> Void
  ) {
    reader.submit(ticket, work, completion: completion)
  }
}
