import Synchronization

/// A connection that a task has to itself.
///
/// Statements run one after the other. A cancelled task makes the server cancel the running statement; the connection can be
/// used after that.
package struct PostgresConnection: PostgresStatements {
  let identifier: UInt64
  let limits: PostgresPool.Limits
  /// Whether the connection has been lost, or its state is not known.
  let isBroken = Flag()

  final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }

  /// Connects.
  static func connect(
    _ address: PostgresAddress, limits: PostgresPool.Limits,
    notified: @escaping @Sendable (PostgresNotification) -> Void = { _ in },
    closed: @escaping @Sendable (UInt64) -> Void
  ) async throws(PostgresError) -> PostgresConnection {
    let loop = try PostgresLoop.shared()
    let identifier = PostgresLoop.makeIdentifier()
    let deadline = ContinuousClock.now + limits.connectTime
    let result: Result<Void, PostgresError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let events = LinkEvents(
          connected: { continuation.resume(returning: $0) }, notified: notified,
          closed: { closed(identifier) })
        // Looking up the host's name blocks.
        PostgresLoop.connecting.async {
          do throws(PostgresError) {
            loop.post(.attach(identifier, try PostgresHandle(address), events, connectDeadline: deadline))
          } catch {
            continuation.resume(returning: .failure(error))
          }
        }
      }
    } onCancel: {
      loop.post(.close(identifier))
    }
    do throws(PostgresError) { try result.get() } catch { throw Task.isCancelled ? .cancelled : error }
    let connection = PostgresConnection(identifier: identifier, limits: limits)
    do throws(PostgresFailure) {
      _ = try await connection.execute(.script(limits.settings))
    } catch {
      connection.close()
      throw error.error
    }
    if Task.isCancelled {
      connection.close()
      throw .cancelled
    }
    return connection
  }

  private init(identifier: UInt64, limits: PostgresPool.Limits) {
    self.identifier = identifier
    self.limits = limits
  }

  func close() { (try? PostgresLoop.shared())?.post(.close(identifier)) }

  package func result(of text: Statement.Text) async throws(PostgresError) -> Statement.Result {
    do throws(PostgresFailure) { return try await execute(text) } catch { throw error.error }
  }

  /// Runs a statement.
  ///
  /// - Parameter isShielded: Whether it runs even if the task is cancelled.
  func execute(_ text: Statement.Text, isShielded: Bool = false) async throws(PostgresFailure)
    -> Statement.Result
  {
    do throws(PostgresError) { try text.check() } catch { throw PostgresFailure(error: error) }
    if !isShielded, Task.isCancelled { throw PostgresFailure(error: .cancelled) }
    let loop: PostgresLoop
    do throws(PostgresError) { loop = try .shared() } catch { throw PostgresFailure(error: error) }
    let statement = PostgresLoop.makeIdentifier()
    let result: Result<Statement.Result, PostgresFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.post(
          .run(
            identifier,
            Statement(
              identifier: statement, text: text, maximumRows: limits.maximumRows,
              maximumBytes: limits.maximumBytes, timeLimit: limits.answerTime,
              reply: { continuation.resume(returning: $0) })))
      }
    } onCancel: {
      if !isShielded { loop.post(.cancel(identifier, statement: statement)) }
    }
    if case .failure(let failure) = result, failure.isConnectionLost { isBroken.set() }
    return try result.get()
  }
}
