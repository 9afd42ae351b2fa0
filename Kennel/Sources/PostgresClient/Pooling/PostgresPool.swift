import Synchronization
import Waiting

/// A limited number of connections to a database. They are made when they are needed, used again, and replaced when they
/// break.
///
///     let pool = PostgresPool(try PostgresAddress("postgres://kennel@localhost/kennel"))
///     let names = try await pool.rows("SELECT name FROM dogs WHERE age > $1", .integer(3)) { $0.text(0) }
///
/// Tasks wait for a free connection in the order of their calls. A statement that certainly had no effect because its
/// connection broke runs again on another one. All connections of a process use one thread.
package final class PostgresPool: PostgresStatements {
  /// The limits of a pool.
  package struct Limits: Sendable, Hashable {
    /// The maximum number of connections.
    package var maximumConnections = 8
    /// The maximum number of waiting tasks. More are refused with `busy`.
    package var maximumWaitingCount = 20_000
    /// How long connecting may take.
    package var connectTime = Duration.seconds(10)
    /// How long the pool tries to connect to a server that is starting.
    package var startingTime = Duration.seconds(10)
    /// How long a connection may be idle before it is closed.
    package var idleTime = Duration.seconds(60)
    /// The maximum number of rows in a result. Use ``PostgresPool/stream(_:_:)`` for more.
    package var maximumRows = 100_000
    /// The maximum number of bytes in a result.
    package var maximumBytes = 256 << 20
    /// How often a transaction is tried.
    package var maximumAttempts = 16
    /// How long a statement may take; nil for no limit. The server ends it then. If it does not even do that within ``answerDelay``,
    /// the connection is closed.
    package var statementTime: Duration?
    /// How often a connection that listens asks the server for an answer; nil for never. Without an answer within
    /// ``statementTime``, the connection is lost.
    package var heartbeat: Duration?
    /// How much later than ``statementTime`` the server's answer may arrive.
    package var answerDelay: Duration = .seconds(1)

    package init() {}

    /// How long the server has to answer a statement.
    var answerTime: Duration? { statementTime.map { $0 + answerDelay } }

    /// What a new connection sets, regardless of the server's settings: the forms of values that `PostgresRow` reads, what a
    /// transaction is if nothing else is said, and the server's own limit.
    var settings: String {
      let values = """
        SET bytea_output = 'hex'; SET extra_float_digits = 1;
        SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off
        """
      guard let statementTime else { return values }
      let (seconds, attoseconds) = statementTime.components
      let milliseconds = min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000
      return "\(values); SET statement_timeout = \(max(milliseconds, 1))"
    }
  }

  private struct State: Sendable {
    var pool: PoolState
    var connections: [UInt64: PostgresConnection] = [:]
    var waiting = WaitingTasks<Answer>()
  }

  private enum Answer: Sendable {
    case granted(PoolState.Grant)
    case cancelled
    case full
    case closed
  }

  let address: PostgresAddress
  let limits: Limits
  private let state: Mutex<State>

  /// Creates a pool. It connects when it is first used.
  package init(_ address: PostgresAddress, limits: Limits = Limits()) {
    self.address = address
    self.limits = limits
    state = Mutex(State(pool: PoolState(maximumCount: limits.maximumConnections)))
  }

  deinit { close() }

  /// The number of connections, and how many of them are idle.
  package var connectionCount: (all: Int, idle: Int) { state.withLock { ($0.pool.count, $0.pool.idleCount) } }

  /// The number of tasks that wait for a connection.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Closes idle connections, and the others when their tasks give them back. Tasks that wait fail with `closed`.
  package func close() {
    let (idle, waiting) = state.withLock { state in
      let idle = state.pool.close()
      return (idle.compactMap { state.connections.removeValue(forKey: $0) }, state.waiting.takeAll())
    }
    for connection in idle { connection.close() }
    for waiter in waiting { waiter.resume(returning: .closed) }
  }

  // MARK: Connections

  /// Gives a task a connection to itself, for several statements.
  package func withConnection<Value: Sendable>(
    _ body: (PostgresConnection) async throws(PostgresError) -> Value
  ) async throws(PostgresError) -> Value {
    let connection = try await take()
    defer { giveBack(connection) }
    return try await body(connection)
  }

  func take() async throws(PostgresError) -> PostgresConnection {
    while true {
      let answer = await state.wait(in: \.waiting, ifCancelled: .cancelled) { [limits] state -> Answer? in
        if state.pool.isClosed { return .closed }
        if let grant = state.pool.take() { return .granted(grant) }
        return state.waiting.count < limits.maximumWaitingCount ? nil : .full
      }
      switch answer {
      case .cancelled: throw .cancelled
      case .closed: throw .closed
      case .full:
        throw PostgresError(.busy, "Too many changes are waiting for the database. Try again in a moment.")
      case .granted(.use(let identifier)):
        if let connection = state.withLock({ $0.connections[identifier] }), !connection.isBroken.isSet {
          return connection
        }
        discard(identifier)
      case .granted(.connect):
        do throws(PostgresError) { return try await connect() } catch {
          discard(nil)
          throw error
        }
      }
    }
  }

  /// Connects. A server that is starting is asked again.
  private func connect() async throws(PostgresError) -> PostgresConnection {
    let end = ContinuousClock.now + limits.startingTime
    var pause = Duration.milliseconds(20)
    while true {
      do throws(PostgresError) {
        let connection = try await PostgresConnection.connect(address, limits: limits) { [weak self] in
          self?.lost($0)
        }
        state.withLock { $0.connections[connection.identifier] = connection }
        return connection
      } catch {
        let mayStart = error.code == .cannotConnect || error.code == .busy
        guard mayStart, ContinuousClock.now + pause < end else { throw error }
      }
      do { try await Task.sleep(for: pause) } catch { throw .cancelled }
      pause = min(pause * 2, .milliseconds(500))
    }
  }

  func giveBack(_ connection: PostgresConnection) {
    if connection.isBroken.isSet { return discard(connection.identifier) }
    let (waiter, grant, old) = state.withLock { state in
      // After `close()`, no task waits, so the connection is idle now, and is closed with the others.
      let waiter = state.pool.isClosed ? nil : state.waiting.popFirst()
      let grant = state.pool.giveBack(connection.identifier, now: .now, isAwaited: waiter != nil)
      let old =
        state.pool.isClosed ? state.pool.close() : state.pool.removeIdle(since: .now - limits.idleTime)
      return (waiter, grant, old.compactMap { state.connections.removeValue(forKey: $0) })
    }
    for connection in old { connection.close() }
    if let waiter, let grant { waiter.resume(returning: .granted(grant)) }
  }

  private func discard(_ identifier: UInt64?) {
    let (waiter, grant, connection) = state.withLock { state in
      let waiter = state.waiting.popFirst()
      let grant = state.pool.discard(isAwaited: waiter != nil)
      return (waiter, grant, identifier.flatMap { state.connections.removeValue(forKey: $0) })
    }
    connection?.close()
    if let waiter { waiter.resume(returning: grant.map { .granted($0) } ?? .closed) }
  }

  /// A connection is gone. If a task has it, the task learns this from its next statement.
  private func lost(_ identifier: UInt64) {
    state.withLock { state in
      state.connections[identifier]?.isBroken.set()
      if state.pool.lost(identifier) { state.connections[identifier] = nil }
    }
  }

  package func result(of text: Statement.Text) async throws(PostgresError) -> Statement.Result {
    var attempts = 0
    while true {
      attempts += 1
      let connection = try await take()
      defer { giveBack(connection) }
      do throws(PostgresFailure) { return try await connection.execute(text) } catch {
        let mayRepeat = error.isConnectionLost && error.effect == .none && error.error.code != .cancelled
        guard mayRepeat, attempts < limits.maximumAttempts else { throw error.error }
      }
    }
  }
}
