/// The state machine of ``withCancellableContinuation(of:onCancel:reporter:isolation:fileID:line:_:)``. It decides
/// who resumes the waiter, when the work is cancelled, and what a late call means. It contains no locks and calls no
/// continuations or callbacks.
///
/// `Waiter` is the suspended caller and `Cancel` the work's cancel function: a continuation and a closure in
/// ``CallbackCore``, numbers in the tests. The value of a call does not pass through the state machine, which only
/// decides whether the call counts.
struct CallbackStateMachine<Waiter, Cancel> {
  enum RegisterAction: Equatable {
    /// The waiter is registered. Start the work.
    case start
    /// The task was already cancelled. Resume the waiter and do not start the work.
    case resumeCancelled
  }

  enum StartedAction {
    /// The function is kept for a cancellation.
    case keep
    /// The task was cancelled while the work was starting. Cancel the work now.
    case cancel(Cancel)
    /// The work has already ended. Release the function.
    case release(Cancel?)
  }

  enum CallAction {
    /// The first call. Resume the waiter with its result, then release the cancel function.
    case resume(Waiter, releasing: Cancel?)
    /// A call after a cancellation. It has no effect and is not a misuse.
    case ignore
    /// The callback was called before.
    case reportMisuse
  }

  /// The action after the last reference to the callback was released.
  enum DropAction {
    case none
    case resumeNeverCalled(Waiter, releasing: Cancel?)
  }

  struct CancelAction {
    /// The waiter to resume with a cancellation error, after the work has been cancelled.
    var waiter: Waiter?
    var cancel: Cancel?
  }

  private enum Phase {
    /// The waiter is not registered yet. The flag records a cancellation that came before.
    case idle(isCancelled: Bool)
    case waiting(Waiter)
    /// The waiter was resumed by a cancellation. One call may still follow.
    case abandoned
    /// The waiter was resumed by a call, by the release of the callback, or by a cancellation that a call has
    /// followed.
    case over
  }

  private enum Work {
    case starting(isCancelled: Bool)
    case started(Cancel?)
    /// The work was cancelled or has ended. Its cancel function is not needed any more.
    case settled
  }

  private let cancellation: CallbackCancellation
  private var phase = Phase.idle(isCancelled: false)
  private var work = Work.starting(isCancelled: false)

  init(cancellation: CallbackCancellation = .throwsAtOnce) {
    self.cancellation = cancellation
  }

  /// Registers the suspended caller.
  mutating func register(_ waiter: Waiter) -> RegisterAction {
    guard case .idle(let isCancelled) = phase, !isCancelled else {
      phase = .over
      work = .settled
      return .resumeCancelled
    }
    phase = .waiting(waiter)
    return .start
  }

  /// Records that the work has started and, if it can be cancelled, its cancel function.
  mutating func started(_ cancel: Cancel?) -> StartedAction {
    switch work {
    case .starting(isCancelled: false):
      work = .started(cancel)
      return .keep
    case .starting(isCancelled: true):
      work = .settled
      return cancel.map(StartedAction.cancel) ?? .release(nil)
    case .started, .settled:
      return .release(cancel)
    }
  }

  /// Handles a call of the callback.
  mutating func called() -> CallAction {
    switch phase {
    case .waiting(let waiter):
      phase = .over
      return .resume(waiter, releasing: settleWork())
    case .abandoned:
      phase = .over
      // Work that calls back while it is still starting does not have to be cancelled.
      work = .settled
      return .ignore
    case .idle, .over:
      return .reportMisuse
    }
  }

  /// Handles the release of the last reference to the callback.
  mutating func dropped() -> DropAction {
    guard case .waiting(let waiter) = phase else {
      if case .abandoned = phase { work = .settled }
      return .none
    }
    phase = .over
    return .resumeNeverCalled(waiter, releasing: settleWork())
  }

  /// Handles the cancellation of the waiting task.
  mutating func cancel() -> CancelAction {
    switch phase {
    case .idle:
      phase = .idle(isCancelled: true)
      return CancelAction()
    case .waiting(let waiter):
      var action = CancelAction()
      switch work {
      case .starting:
        work = .starting(isCancelled: true)
      case .started(let cancel):
        action.cancel = cancel
        work = .settled
      case .settled:
        break
      }
      if cancellation == .throwsAtOnce {
        action.waiter = waiter
        phase = .abandoned
      }
      return action
    case .abandoned, .over:
      return CancelAction()
    }
  }

  private mutating func settleWork() -> Cancel? {
    defer { work = .settled }
    if case .started(let cancel) = work { return cancel }
    return nil
  }
}
