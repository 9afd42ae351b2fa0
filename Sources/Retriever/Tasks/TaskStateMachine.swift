#if !canImport(Darwin)
/// The life cycle of one task: takes an event and returns an action. Other code decides how a task responds to a
/// response. This machine keeps the order of events, regardless of their thread and of how late an answer arrives.
///
/// `Transfer` is the exchange with a server. `Timer` ends the task while it waits for a delegate and nothing else does,
/// or the transfer of a discarded response. A phase has them only where they exist.
struct TaskStateMachine<Transfer: Sendable, Timer: Sendable>: Sendable {
  private enum Phase: Sendable {
    /// The task was never resumed.
    case idle
    /// The body and the destination are being prepared for the next transfer.
    case preparing
    /// A request is being sent, and the head of its response has not arrived.
    case exchanging(Transfer)
    /// The head has arrived, and a delegate is asked what to do with it. Receiving is paused.
    case asking(Transfer)
    /// The same, and the transfer has ended.
    case waiting(Timer?)
    /// The body is being received.
    case receiving(Transfer)
    /// The response is discarded; another request follows.
    case discarding(Transfer, Timer?)
    /// The next request waits until the task is resumed.
    case holding
    /// The body is complete, and the sink is being finished.
    case finishing
    /// The task was cancelled or failed. The transfer is being cancelled, and its metrics are awaited.
    case aborting
    case completed
  }

  enum Action: Sendable {
    case none
    /// Prepare the current request, and report its transfer with `send(_:)`.
    case begin
    /// Keep the transfer from beginning, or from sending more of its body. Then ask for `actionAfterHolding()`.
    case hold(Transfer)
    /// Let the transfer begin or send, if it was held, and receive. Then ask for `actionAfterReleasing()`.
    case release(Transfer)
    /// The transfer is over. Finish the sink; `sinkFinished` follows.
    case finishSink
    /// Cancel the transfer. Its end completes the task.
    case cancel(Transfer)
    /// Cancel the transfer, and report the task's completion without waiting for its end.
    case cancelAndComplete(Transfer)
    /// Report the task's completion.
    case complete
  }

  /// How to treat bytes that have arrived.
  enum Reception: Sendable {
    case deliver
    case discard
    /// Keep them until a delegate has answered.
    case wait
    /// The task is over.
    case stop
  }

  private var phase = Phase.idle
  /// The number of suspensions without a matching resume. A task is created with one.
  private var suspensions = 1

  var isSuspended: Bool { suspensions > 0 }

  /// Whether the task runs after the next resume.
  var runsAfterResume: Bool { suspensions <= 1 }

  /// Whether the task was never resumed, and has not ended.
  var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Whether the next transfer is being prepared.
  var isPreparing: Bool { if case .preparing = phase { true } else { false } }

  /// Whether the head of a response is expected.
  var expectsHead: Bool { if case .exchanging = phase { true } else { false } }

  /// Whether the body is being received.
  var isReceiving: Bool { if case .receiving = phase { true } else { false } }

  /// Whether the response is discarded for another request.
  var isDiscarding: Bool { if case .discarding = phase { true } else { false } }

  /// Whether the sink of a complete body is being finished.
  var isFinishing: Bool { if case .finishing = phase { true } else { false } }

  /// Whether the end of a cancelled transfer is awaited.
  var isAborting: Bool { if case .aborting = phase { true } else { false } }

  var isCompleted: Bool { if case .completed = phase { true } else { false } }

  /// Whether the task was cancelled, has failed or is completed.
  var isEnding: Bool { isAborting || isCompleted }

  /// Whether a delegate is asked, and no transfer ends the task at its deadline.
  var needsTimer: Bool { if case .waiting(nil) = phase { true } else { false } }

  /// The timer of a question or a discarded response, if any. The driver keeps it over an event that may end either,
  /// and releases it without a lock: that may run code.
  var timer: Timer? {
    switch phase {
    case .waiting(let timer), .discarding(_, let timer): timer
    default: nil
    }
  }

  var reception: Reception {
    switch phase {
    case .receiving: .deliver
    case .discarding: .discard
    case .asking, .waiting: .wait
    case .idle, .preparing, .exchanging, .holding, .finishing, .aborting, .completed: .stop
    }
  }

  private var transfer: Transfer? {
    switch phase {
    case .exchanging(let transfer), .asking(let transfer), .receiving(let transfer),
      .discarding(let transfer, _):
      transfer
    case .idle, .preparing, .waiting, .holding, .finishing, .aborting, .completed: nil
    }
  }

  // MARK: Suspending

  mutating func resume() -> Action {
    guard isSuspended else { return .none }
    suspensions -= 1
    guard !isSuspended else { return .none }
    switch phase {
    case .idle, .holding:
      phase = .preparing
      return .begin
    case .exchanging(let transfer), .receiving(let transfer), .discarding(let transfer, _):
      return .release(transfer)
    case .preparing, .asking, .waiting, .finishing, .aborting, .completed: return .none
    }
  }

  /// Takes effect for bytes that have not arrived yet, until the same number of resumes.
  mutating func suspend() -> Action {
    guard !isCompleted, suspensions < .max else { return .none }
    suspensions += 1
    // While a delegate is asked, the transfer is paused anyway.
    if case .asking = phase { return .none }
    return transfer.map { .hold($0) } ?? .none
  }

  /// The sink has room for more of the body.
  func wantsMore() -> Action {
    guard !isSuspended, let transfer else { return .none }
    return .release(transfer)
  }

  /// Ends the transfer, but not the task: it completes with its transfer.
  func disconnect() -> Action { transfer.map { .cancel($0) } ?? .none }

  /// Returns `.release` if the task is no longer suspended: two threads may suspend and resume a task at the same time,
  /// and perform their actions in the other order.
  func actionAfterHolding() -> Action {
    guard !isSuspended, let transfer else { return .none }
    return .release(transfer)
  }

  /// Returns `.hold` if the task is suspended again, for the same reason.
  func actionAfterReleasing() -> Action {
    guard isSuspended, let transfer else { return .none }
    return .hold(transfer)
  }

  // MARK: Sending and receiving

  /// The transfer of the current request is about to start. Returns false if the task has ended in the meantime.
  mutating func send(_ transfer: Transfer) -> Bool {
    guard isPreparing else { return false }
    phase = .exchanging(transfer)
    return true
  }

  /// Delivers the response without asking a delegate.
  mutating func deliver() {
    guard case .exchanging(let transfer) = phase else { return }
    phase = .receiving(transfer)
  }

  /// Discards the response for another request, without asking a delegate.
  mutating func follow() {
    guard case .exchanging(let transfer) = phase else { return }
    phase = .discarding(transfer, nil)
  }

  /// Keeps a timer until the discarded response or the task ends. Others are dropped.
  mutating func discard(with timer: Timer) {
    if case .discarding(let transfer, nil) = phase { phase = .discarding(transfer, timer) }
  }

  /// The rest of a discarded response takes too long. The other request follows the end of its transfer.
  func stopDiscarding() -> Action {
    if case .discarding(let transfer, _) = phase { .cancel(transfer) } else { .none }
  }

  mutating func ask() {
    guard case .exchanging(let transfer) = phase else { return }
    phase = .asking(transfer)
  }

  /// Keeps a timer until the delegate has answered or the task ends. Others are dropped.
  mutating func wait(with timer: Timer) {
    if needsTimer { phase = .waiting(timer) }
  }

  mutating func answeredDeliver() -> Action {
    switch phase {
    case .asking(let transfer):
      phase = .receiving(transfer)
      return isSuspended ? .hold(transfer) : .release(transfer)
    case .waiting:
      phase = .finishing
      return .finishSink
    default: return .none
    }
  }

  mutating func answeredFollow() -> Action {
    switch phase {
    case .asking(let transfer):
      phase = .discarding(transfer, nil)
      return .release(transfer)
    case .waiting: return next()
    default: return .none
    }
  }

  // MARK: Becoming another task

  /// What another task takes over.
  struct Handover: Sendable {
    /// The transfer, which is paused; nil if it has ended.
    let transfer: Transfer?
    let suspensions: Int
  }

  /// What another task could take over now: a response that a delegate is asked about. Nil if there is none.
  var handover: Handover? {
    switch phase {
    case .asking(let transfer): Handover(transfer: transfer, suspensions: suspensions)
    case .waiting: Handover(transfer: nil, suspensions: suspensions)
    default: nil
    }
  }

  /// Ends the task without a result, because another one takes over. Returns nil if the task has ended before.
  mutating func handOver() -> Handover? {
    guard let handover else { return nil }
    phase = .completed
    return handover
  }

  /// Starts a task with the response of another one.
  mutating func takeOver(_ handover: Handover) {
    guard isIdle else { return }
    suspensions = handover.suspensions
    phase = handover.transfer.map { .receiving($0) } ?? .finishing
  }

  /// Returns what a task that took over has to do first.
  func actionAfterTakingOver() -> Action {
    switch phase {
    case .receiving(let transfer): isSuspended ? .hold(transfer) : .release(transfer)
    case .finishing: .finishSink
    default: .none
    }
  }

  // MARK: Ending

  /// Handles the end of the transfer. `failed` means that there is no response to deliver. `isFinal` means that no
  /// other transfer may follow either, because the task's time is over.
  mutating func transferEnded(failed: Bool, isFinal: Bool = false) -> Action {
    switch phase {
    case .aborting:
      phase = .completed
      return .complete
    case .exchanging where failed, .asking where isFinal, .discarding where isFinal:
      phase = .completed
      return .complete
    case .asking:
      phase = .waiting(nil)
      return .none
    case .exchanging, .receiving:
      phase = .finishing
      return .finishSink
    case .discarding: return next()
    case .idle, .preparing, .waiting, .holding, .finishing, .completed: return .none
    }
  }

  private mutating func next() -> Action {
    phase = isSuspended ? .holding : .preparing
    return isSuspended ? .none : .begin
  }

  mutating func sinkFinished() -> Action {
    guard isFinishing else { return .none }
    phase = .completed
    return .complete
  }

  /// Cancels the task, or fails it. Returns `.none` only if it was ending already.
  ///
  /// - Parameter awaitsTransfer: Whether the end of a transfer is awaited before the task completes.
  mutating func abort(awaitsTransfer: Bool) -> Action {
    guard !isEnding else { return .none }
    let transfer = transfer
    phase = awaitsTransfer && transfer != nil ? .aborting : .completed
    guard let transfer else { return .complete }
    return awaitsTransfer ? .cancel(transfer) : .cancelAndComplete(transfer)
  }
}

extension TaskStateMachine.Action: Equatable where Transfer: Equatable {}
#endif
