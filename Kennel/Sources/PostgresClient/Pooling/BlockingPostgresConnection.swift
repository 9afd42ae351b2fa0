import Dispatch
import Synchronization

/// A connection for one thread that may block, outside of any pool.
package final class BlockingPostgresConnection: Sendable {
  private let identifier: UInt64
  private let limits: PostgresPool.Limits
  private let loop: PostgresLoop
  private let lost = PostgresConnection.Flag()

  /// Connects. This blocks until the connection is made or has failed.
  package init(
    _ address: PostgresAddress, limits: PostgresPool.Limits = PostgresPool.Limits()
  ) throws(PostgresError) {
    loop = try .shared()
    identifier = PostgresLoop.makeIdentifier()
    self.limits = limits
    let result = Answer<Void, PostgresError>()
    let events = LinkEvents(connected: { result.set($0) }, closed: { [lost] in lost.set() })
    loop.post(
      .attach(
        identifier, try PostgresHandle(address), events,
        connectDeadline: ContinuousClock.now + limits.connectTime))
    try result.wait().get()
    _ = try execute(.script(limits.settings))
  }

  deinit { loop.post(.close(identifier)) }

  /// Whether the connection was lost, so that it cannot be used any more.
  package var isLost: Bool { lost.isSet }

  /// Runs a statement, and blocks until its end.
  package func execute(_ text: Statement.Text) throws(PostgresError) -> Statement.Result {
    try text.check()
    let result = Answer<Statement.Result, PostgresFailure>()
    loop.post(
      .run(
        identifier,
        Statement(
          identifier: PostgresLoop.makeIdentifier(), text: text, maximumRows: limits.maximumRows,
          maximumBytes: limits.maximumBytes, timeLimit: limits.answerTime, reply: { result.set($0) })))
    do throws(PostgresFailure) { return try result.wait().get() } catch {
      if error.isConnectionLost { lost.set() }
      throw error.error
    }
  }
}

/// A result that a thread waits for.
private final class Answer<Value: Sendable, Failure: Error>: Sendable {
  private let value = Mutex<Result<Value, Failure>?>(nil)
  private let ready = DispatchSemaphore(value: 0)

  /// Called once.
  func set(_ result: Result<Value, Failure>) {
    value.withLock { $0 = result }
    ready.signal()
  }

  func wait() -> Result<Value, Failure> {
    while true {
      ready.wait()
      if let result = value.withLock({ $0 }) { return result }
    }
  }
}
