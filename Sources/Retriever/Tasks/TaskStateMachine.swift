#if !canImport(Darwin)
  /// The life cycle of one task: takes an event and returns an action. Other code decides how a task responds to a
  /// response. This machine keeps the order of events, regardless of their thread and of how late an answer arrives.
  struct TaskStateMachine: Sendable {
    enum Phase: Equatable, Sendable {
      /// The task was never resumed.
      case idle
      /// A request is being sent, and the head of its response has not arrived.
      case exchanging
      /// The head has arrived, and a delegate is asked what to do with it. Receiving is paused.
      case asking(transferEnded: Bool)
      /// The body is being received.
      case receiving
      /// The response is discarded; another request follows.
      case discarding
      /// The next request waits until the task is resumed.
      case holding
      /// The body is complete, and the sink is being finished.
      case finishing
      /// The task was cancelled or failed. The transfer is being cancelled, and its metrics are awaited.
      case aborting
      case completed
    }

    enum Action: Equatable, Sendable {
      case none
      /// Send the current request.
      case begin
      case resumeReceiving
      /// The transfer is over. Finish the sink; `sinkFinished` follows.
      case finishSink
      /// Cancel the transfer, if there is one, and report the task's completion.
      case complete
    }

    private(set) var phase = Phase.idle
    /// The number of suspensions without a matching resume. A task is created with one.
    private var suspensions = 1

    var isSuspended: Bool { suspensions > 0 }

    /// Whether body bytes may be delivered. Otherwise they have to wait.
    var mayReceive: Bool { !isSuspended }

    /// Whether the task was cancelled, has failed or is completed.
    var isEnding: Bool { phase == .aborting || phase == .completed }

    mutating func resume() -> Action {
      guard isSuspended else { return .none }
      suspensions -= 1
      guard !isSuspended else { return .none }
      switch phase {
      case .idle, .holding:
        phase = .exchanging
        return .begin
      case .receiving, .discarding, .exchanging: return .resumeReceiving
      case .asking, .finishing, .aborting, .completed: return .none
      }
    }

    /// Takes effect for bytes that have not arrived yet, until the same number of resumes.
    mutating func suspend() {
      guard phase != .completed, suspensions < .max else { return }
      suspensions += 1
    }

    /// Delivers the response without asking a delegate.
    mutating func deliver() {
      guard phase == .exchanging else { return }
      phase = .receiving
    }

    /// Discards the response for another request, without asking a delegate.
    mutating func follow() {
      guard phase == .exchanging else { return }
      phase = .discarding
    }

    mutating func ask() {
      guard phase == .exchanging else { return }
      phase = .asking(transferEnded: false)
    }

    mutating func answeredDeliver() -> Action {
      guard case .asking(let ended) = phase else { return .none }
      phase = ended ? .finishing : .receiving
      if ended { return .finishSink }
      return isSuspended ? .none : .resumeReceiving
    }

    mutating func answeredFollow() -> Action {
      guard case .asking(let ended) = phase else { return .none }
      if ended { return next() }
      phase = .discarding
      return .resumeReceiving
    }

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
        phase = .asking(transferEnded: true)
        return .none
      case .exchanging, .receiving:
        phase = .finishing
        return .finishSink
      case .discarding: return next()
      case .idle, .holding, .finishing, .completed: return .none
      }
    }

    private mutating func next() -> Action {
      phase = isSuspended ? .holding : .exchanging
      return isSuspended ? .none : .begin
    }

    mutating func sinkFinished() -> Action {
      guard phase == .finishing else { return .none }
      phase = .completed
      return .complete
    }

    /// Cancels the task, or fails it. If the end of a transfer is awaited, `.complete` follows that end.
    ///
    /// `wasRunning` is true if this call ends the task.
    mutating func abort(awaitsTransfer: Bool) -> (wasRunning: Bool, action: Action) {
      guard phase != .completed, phase != .aborting else { return (false, .none) }
      phase = awaitsTransfer ? .aborting : .completed
      return (true, awaitsTransfer ? .none : .complete)
    }
  }
#endif
