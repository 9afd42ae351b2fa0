import Synchronization

/// Drives a ``CallbackStateMachine``: changes its state under a lock, and then performs the action after unlocking.
final class CallbackCore<Value>: Sendable {
  typealias Cancel = @Sendable () -> Void
  typealias Waiter = CheckedContinuation<Value, any Error>

  let site: CallSite
  private let reporter: MisuseReporter
  private let state: Mutex<CallbackStateMachine<Waiter, Cancel>>

  init(cancellation: CallbackCancellation, reporter: MisuseReporter, site: CallSite) {
    self.site = site
    self.reporter = reporter
    state = Mutex(CallbackStateMachine(cancellation: cancellation))
  }

  /// Registers the waiter. Returns whether to start the work; if not, the waiter has been resumed.
  func register(_ waiter: Waiter) -> Bool {
    switch state.withLock({ $0.register(waiter) }) {
    case .start:
      return true
    case .resumeCancelled:
      waiter.resume(throwing: CancellationError())
      return false
    }
  }

  func started(_ cancel: Cancel?) {
    switch state.withLock({ $0.started(cancel) }) {
    case .keep, .release: break
    case .cancel(let cancel): cancel()
    }
  }

  func call(with result: sending Result<Value, any Error>) {
    // The cancel function is released when this method returns, not under the lock, because it can own any object.
    switch state.withLock({ $0.called() }) {
    case .resume(let waiter, releasing: _): waiter.resume(with: result)
    case .ignore: break
    case .reportMisuse: reporter(BridgeMisuse(kind: .calledAgain, site: site))
    }
  }

  func dropped() {
    switch state.withLock({ $0.dropped() }) {
    case .none: break
    case .resumeNeverCalled(let waiter, releasing: _):
      waiter.resume(throwing: BridgeError(.neverCalled, at: site))
    }
  }

  func cancel() {
    let action = state.withLock { $0.cancel() }
    action.cancel?()
    action.waiter?.resume(throwing: CancellationError())
  }
}
