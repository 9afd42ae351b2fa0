import Waiting

/// The state machine of a ``ContinuationSlot``. It decides who waits for the next event and who is resumed with what.
/// It contains no locks and calls no continuations or callbacks.
///
/// A waiter is announced before it is registered, so that a cancellation between the two can be recorded. `Waiter` is
/// a continuation in ``SlotCore``, a number in the tests.
struct SlotStateMachine<Waiter> {
  enum RegisterAction: Equatable {
    case wait
    case resumeCancelled
    case resumeAlreadyWaiting
    case resumeFinished
  }

  typealias Token = Waiters<Waiter>.Token

  private let admission: SlotWaiters
  private var isFinished = false
  private var waiters = Waiters<Waiter>()
  /// The error passed to ``finish(throwing:)``.
  private(set) var error: (any Error)?

  init(admission: SlotWaiters) {
    self.admission = admission
  }

  /// The number of registered waiters.
  var waiterCount: Int { waiters.count }
  /// The number of waiters that are announced or registered. It is 0 when all calls have ended.
  var entryCount: Int { waiters.entryCount }

  /// Announces a waiter and returns its token.
  mutating func announce() -> Token { waiters.makeToken() }

  /// Registers the suspended waiter. If the result is not `wait`, resume the waiter immediately.
  mutating func register(_ waiter: Waiter, as token: Token) -> RegisterAction {
    guard isFinished || admission == .one && waiters.count > 0 else {
      return waiters.wait(waiter, as: token) ? .wait : .resumeCancelled
    }
    guard waiters.forget(token) else { return .resumeCancelled }
    return isFinished ? .resumeFinished : .resumeAlreadyWaiting
  }

  /// Cancels a waiter. Resume the returned waiter with a cancellation error.
  mutating func cancel(_ token: Token) -> Waiter? { waiters.cancel(token) }

  /// Handles an event or an error. Resume the returned waiters with it, in this order.
  mutating func send() -> [Waiter] { waiters.takeAll() }

  /// Ends the slot. Resume the returned waiters with the error. Only the first call has an effect.
  mutating func finish(throwing error: any Error) -> [Waiter] {
    guard !isFinished else { return [] }
    isFinished = true
    self.error = error
    return send()
  }
}
