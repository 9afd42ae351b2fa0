#if !canImport(Darwin)
  /// The life of one task: event in, action out. What a task does about a response is decided elsewhere; this machine
  /// keeps the order, whichever thread an event comes from and however late an answer is.
  struct TaskStateMachine: Sendable {
    enum Phase: Equatable, Sendable {
      /// Never resumed.
      case idle
      /// A request is on its way, its response's head has not come.
      case exchanging
      /// A head has come, and somebody is being asked what to do about it. Receiving is paused.
      case asking(transferEnded: Bool)
      /// The body goes where it belongs.
      case receiving
      /// The response is dropped; another request follows.
      case discarding
      /// The next request waits for the task to be resumed.
      case holding
      /// The body is complete and on its way to its place.
      case finishing
      /// Cancelled or failed; the transfer has been told to end and its measurements are awaited.
      case aborting
      case completed
    }

    enum Action: Equatable, Sendable {
      case none
      /// Send the current request.
      case begin
      case resumeReceiving
      /// The transfer is over, the sink is to be closed; `sinkFinished` follows.
      case finishSink
      /// End the transfer if there is one, and tell everybody that the task has ended.
      case complete
    }

    private(set) var phase = Phase.idle
    /// Suspends that no resume has answered yet. A task is made with one.
    private var suspensions = 1

    var isSuspended: Bool { suspensions > 0 }

    /// Whether a piece of body may be passed on, or has to wait.
    var mayReceive: Bool { !isSuspended }

    /// Whether the task was cancelled or has failed, or is over.
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

    /// Effective for what has not arrived yet, until as many resumes have come.
    mutating func suspend() {
      guard phase != .completed, suspensions < .max else { return }
      suspensions += 1
    }

    /// The response is the one to deliver, without a question.
    mutating func deliver() {
      guard phase == .exchanging else { return }
      phase = .receiving
    }

    /// The response is dropped for another request, without a question.
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

    /// The transfer has ended; `failed` without a response that could be delivered, `isFinal` when no other transfer may
    /// follow either: the task's time is over.
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

    /// Cancelled, or failed for a reason of its own. With a transfer whose end is awaited, `.complete` follows that end.
    ///
    /// Whether this is what ends the task is told by `wasRunning`.
    mutating func abort(awaitsTransfer: Bool) -> (wasRunning: Bool, action: Action) {
      guard phase != .completed, phase != .aborting else { return (false, .none) }
      phase = awaitsTransfer ? .aborting : .completed
      return (true, awaitsTransfer ? .none : .complete)
    }
  }
#endif
