/// The rules of ``withCancellableContinuation(of:onCancel:reporter:isolation:fileID:line:_:)``: who resumes
/// the waiter, when the work is cancelled, and what a late call means. No lock, no resumption, no callback.
///
/// `Waiter` is the suspended caller and `Cancel` the work's cancel function: a continuation and a closure in
/// the driver, plain numbers in the tests. The value that a call brings does not pass through here; what the
/// machine decides is whether it counts.
struct CallbackStateMachine<Waiter, Cancel> {
  enum RegisterAction: Equatable {
    /// The waiter is registered: start the work.
    case start
    /// The task had been cancelled before: resume the waiter, start nothing.
    case resumeCancelled
  }

  enum StartedAction {
    /// The function is kept for a cancellation.
    case keep
    /// The task was cancelled while the work started: cancel it now.
    case cancel(Cancel)
    /// The work is over already; let go of the function.
    case release(Cancel?)
  }

  enum CallAction {
    /// The first call: resume the waiter with what it brought, then let go of the cancel function.
    case resume(Waiter, releasing: Cancel?)
    /// A call that comes after a cancellation has nobody to tell, and is no mistake.
    case ignore
    /// There was a call before.
    case reportMisuse
  }

  /// The last holder let go of the callback.
  enum DropAction {
    case none
    case resumeNeverCalled(Waiter, releasing: Cancel?)
  }

  struct CancelAction {
    /// Is resumed with the cancellation, after the work has been cancelled.
    var waiter: Waiter?
    var cancel: Cancel?
  }

  private enum Phase {
    /// Nobody waits yet. The flag is the mark that a cancellation leaves which comes too early.
    case idle(isCancelled: Bool)
    case waiting(Waiter)
    /// Resumed by a cancellation; one call may still come.
    case abandoned
    /// Resumed by a call, by being dropped, or by a cancellation that a call has followed.
    case over
  }

  private enum Work {
    case starting(isCancelled: Bool)
    case started(Cancel?)
    /// Cancelled, or over: its cancel function is not needed (again).
    case settled
  }

  private let cancellation: CallbackCancellation
  private var phase = Phase.idle(isCancelled: false)
  private var work = Work.starting(isCancelled: false)

  init(cancellation: CallbackCancellation = .throwsAtOnce) {
    self.cancellation = cancellation
  }

  /// The caller has been suspended.
  mutating func register(_ waiter: Waiter) -> RegisterAction {
    guard case .idle(let isCancelled) = phase, !isCancelled else {
      phase = .over
      work = .settled
      return .resumeCancelled
    }
    phase = .waiting(waiter)
    return .start
  }

  /// The work has been started and can be cancelled with `cancel`, if at all.
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

  /// The callback was called.
  mutating func called() -> CallAction {
    switch phase {
    case .waiting(let waiter):
      phase = .over
      return .resume(waiter, releasing: settleWork())
    case .abandoned:
      phase = .over
      // Work that calls back while it is still being started needs no cancelling any more.
      work = .settled
      return .ignore
    case .idle, .over:
      return .reportMisuse
    }
  }

  /// Nobody can call the callback any more.
  mutating func dropped() -> DropAction {
    guard case .waiting(let waiter) = phase else {
      if case .abandoned = phase { work = .settled }
      return .none
    }
    phase = .over
    return .resumeNeverCalled(waiter, releasing: settleWork())
  }

  /// The waiting task was cancelled.
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
