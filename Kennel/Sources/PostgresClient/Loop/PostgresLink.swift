import Foundation

/// One connection on the loop. Only the loop's thread uses it.
final class PostgresLink {
  let identifier: UInt64
  let handle: PostgresHandle
  let events: LinkEvents
  private(set) var machine = ConnectionMachine()
  private(set) var current: Statement?
  private var waiting: [Statement] = []
  private var result = Statement.Result()
  private var resultBytes = 0
  private var error: PostgresError?
  private let connectDeadline: ContinuousClock.Instant
  /// While a request to cancel is on its way, no other statement is sent: it might be the one that is cancelled.
  private var isCancelling = false
  private var cancelDeadline: ContinuousClock.Instant?
  /// When the running statement must have ended.
  private var statementDeadline: ContinuousClock.Instant?
  private(set) var interest: Interest = .writing
  /// The socket that the loop watches.
  var watched: (socket: Int32, interest: Interest)?

  enum Interest: Equatable {
    case reading, writing, both
  }

  /// How long a cancelled statement may take to end. After that, the connection is closed.
  static let cancelLimit = Duration.seconds(5)

  init(
    _ identifier: UInt64, _ handle: PostgresHandle, _ events: LinkEvents,
    connectDeadline: ContinuousClock.Instant
  ) {
    self.identifier = identifier
    self.handle = handle
    self.events = events
    self.connectDeadline = connectDeadline
  }

  var isClosed: Bool { machine.isClosed }

  /// When something must be done although nothing arrives.
  var deadline: ContinuousClock.Instant? {
    if machine.isConnecting { return connectDeadline }
    if machine.isClosed { return nil }
    return [cancelDeadline, statementDeadline].compactMap { $0 }.min()
  }

  // MARK: Events

  /// The socket is ready, or the connection is new.
  func step() {
    if machine.isConnecting { connect() } else if !machine.isClosed { transfer() }
  }

  func expire(_ now: ContinuousClock.Instant) {
    guard let deadline, deadline <= now else { return }
    let isCancelled = cancelDeadline.map { $0 <= now } ?? false
    close(
      isCancelled && !machine.isConnecting
        ? PostgresError(.cancelled, "The operation was cancelled.")
        : PostgresError(
          .cannotConnect,
          "The database at \(handle.host) did not answer in time. Check its address and that it is running."))
  }

  func submit(_ statement: Statement) {
    guard !machine.isClosed else {
      statement.reply(
        .failure(PostgresFailure(error: Self.lost(""), effect: .none, isConnectionLost: true)))
      return
    }
    waiting.append(statement)
    beginNext()
  }

  /// Returns what to send if the statement runs; nil if there is nothing to cancel.
  func cancel(_ statement: UInt64, now: ContinuousClock.Instant) -> PostgresCancellation? {
    if let index = waiting.firstIndex(where: { $0.identifier == statement }) {
      waiting.remove(at: index).reply(.failure(PostgresFailure(error: .cancelled)))
      return nil
    }
    guard current?.identifier == statement else { return nil }
    return startCancelling(now)
  }

  func cancellationSent() {
    isCancelling = false
    if current == nil { cancelDeadline = nil }
    beginNext()
  }

  func close() { close(.closed) }

  // MARK: Connecting

  private func connect() {
    switch handle.poll() {
    case .reading: interest = .reading
    case .writing: interest = .writing
    case .connected:
      machine.connected()
      interest = .reading
      events.connected(.success(()))
      beginNext()
    case .failed: close(.connecting(handle.message))
    }
  }

  private static func lost(_ message: String) -> PostgresError {
    PostgresError(
      .cannotConnect,
      "The connection to the database was lost\(message.isEmpty ? "" : " (\(message))"). Try again in a moment."
    )
  }

  // MARK: Statements

  private func beginNext() {
    guard machine.isIdle, current == nil, !isCancelling, !waiting.isEmpty else { return }
    // If the server has closed an idle connection, the statement certainly has no effect.
    guard handle.consumeInput() else { return close(Self.lost(handle.message)) }
    let statement = waiting.removeFirst()
    current = statement
    statementDeadline = statement.timeLimit.map { .now + $0 }
    result = Statement.Result()
    resultBytes = 0
    error = nil
    switch statement.text {
    case .prepared(let sql, _): perform(machine.begin(key: UInt(bitPattern: sql.utf8Start)))
    case .script: perform(machine.begin(key: nil))
    }
  }

  private func perform(_ action: ConnectionMachine.Action) {
    var isSent = true
    switch (action, current?.text) {
    case (.nothing, _): return
    case (.finish, _):
      finish()
      return
    case (.prepare(let name, _), .prepared(let sql, _)):
      isSent = handle.sendPrepare(name, Placeholders.numbered("\(sql)"))
    case (.send(let name), .prepared(_, let values)): isSent = handle.send(name, values)
    case (.sendScript, .script(let text)): isSent = handle.send(script: text)
    default: isSent = false
    }
    if isSent { transfer() } else { close(Self.lost(handle.message)) }
  }

  private func transfer() {
    // Reading first: a server that cannot send does not read either.
    guard handle.consumeInput() else { return close(Self.lost(handle.message)) }
    deliverNotifications()
    while current != nil, !handle.isBusy {
      guard let next = handle.nextResult() else {
        deliverNotifications()
        perform(machine.received(error: error))
        return
      }
      collect(next)
      if machine.isClosed { return }
    }
    deliverNotifications()
    guard let hasMore = handle.flush() else { return close(Self.lost(handle.message)) }
    interest = hasMore ? .both : .reading
  }

  /// libpq reads on only while it has no result for the caller, so messages that arrived together with a result are found after it.
  private func deliverNotifications() {
    for notification in handle.takeNotifications() { events.notified(notification) }
  }

  private func collect(_ next: PostgresHandle.Result) {
    switch next {
    case .done(let changedRows): result.changedRows = changedRows
    case .failed(let failure):
      // The server ends connections with these codes when it stops.
      if handle.hasFailed || failure.sqlState?.hasPrefix("57P0") == true { return close(failure) }
      error = error ?? failure
    case .copying: close(PostgresError(.failed, "COPY is not supported."))
    case .rows(let rows, _):
      guard let current, error == nil else { return }
      resultBytes += rows.reduce(0) { $0 + $1.size }
      guard result.rows.count + rows.count <= current.maximumRows, resultBytes <= current.maximumBytes else {
        error = PostgresError(
          .tooLarge,
          "The result has more than \(current.maximumRows) rows or \(current.maximumBytes) bytes. Read it in parts."
        )
        result.rows = []
        if let cancellation = startCancelling(.now) { events.sendCancellation(cancellation) }
        return
      }
      result.rows += rows
    }
  }

  private func startCancelling(_ now: ContinuousClock.Instant) -> PostgresCancellation? {
    guard !isCancelling else { return nil }
    cancelDeadline = now + Self.cancelLimit
    guard let cancellation = handle.makeCancellation() else { return nil }
    isCancelling = true
    return cancellation
  }

  private func finish() {
    guard let statement = current else { return }
    (current, statementDeadline) = (nil, nil)
    cancelDeadline = isCancelling ? cancelDeadline : nil
    let result = result
    self.result = Statement.Result()
    if let error {
      // A statement that failed has been rolled back.
      statement.reply(.failure(PostgresFailure(error: error)))
    } else {
      statement.reply(.success(result))
    }
    interest = .reading
    beginNext()
  }

  private func close(_ reason: PostgresError) {
    guard !machine.isClosed else { return }
    let wasConnecting = machine.isConnecting
    let effect = machine.effect
    machine.close()
    let statement = current
    let others = waiting
    current = nil
    waiting = []
    (cancelDeadline, statementDeadline) = (nil, nil)
    if wasConnecting { events.connected(.failure(reason)) }
    let isKnown = effect == .none || reason.code == .cancelled
    statement?.reply(
      .failure(
        PostgresFailure(
          error: isKnown ? reason : .unknownOutcome, effect: isKnown ? .none : .unknown,
          isConnectionLost: true)))
    for other in others { other.reply(.failure(PostgresFailure(error: reason, isConnectionLost: true))) }
    events.closed()
  }
}

/// What a connection reports. The functions are called on the loop's thread, and do not block.
struct LinkEvents: Sendable {
  /// The connection is made, or cannot be made. Called once.
  var connected: @Sendable (Result<Void, PostgresError>) -> Void
  var notified: @Sendable (PostgresNotification) -> Void = { _ in }
  /// Called once, at the end.
  var closed: @Sendable () -> Void = {}
  var sendCancellation: @Sendable (PostgresCancellation) -> Void = { _ in }
}
