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

  private enum Entry {
    case announced
    /// Cancelled before the registration.
    case cancelled
    case waiting(Waiter)
  }

  private let admission: SlotWaiters
  private var isFinished = false
  private var finishError: (any Error)?
  private var nextIdentifier = 0
  private var entries: [Int: Entry] = [:]

  init(admission: SlotWaiters) {
    self.admission = admission
  }

  /// The number of registered waiters.
  private(set) var waiterCount = 0
  /// The number of waiters that are announced, cancelled or registered. It is 0 when all calls have ended.
  var entryCount: Int { entries.count }
  /// The error passed to ``finish(throwing:)``.
  var error: (any Error)? { finishError }

  /// Announces a waiter and returns its identifier.
  mutating func announce() -> Int {
    nextIdentifier += 1
    entries[nextIdentifier] = .announced
    return nextIdentifier
  }

  /// Registers the suspended waiter. If the result is not `wait`, resume the waiter immediately.
  mutating func register(_ waiter: Waiter, as identifier: Int) -> RegisterAction {
    guard case .announced? = entries.removeValue(forKey: identifier) else { return .resumeCancelled }
    if isFinished { return .resumeFinished }
    if admission == .one, waiterCount > 0 { return .resumeAlreadyWaiting }
    entries[identifier] = .waiting(waiter)
    waiterCount += 1
    return .wait
  }

  /// Cancels a waiter. Resume the returned waiter with a cancellation error.
  mutating func cancel(_ identifier: Int) -> Waiter? {
    switch entries[identifier] {
    case .waiting(let waiter):
      entries[identifier] = nil
      waiterCount -= 1
      return waiter
    case .announced:
      entries[identifier] = .cancelled
      return nil
    case .cancelled, nil:
      return nil
    }
  }

  /// Handles an event or an error. Resume the returned waiters with it, in this order.
  mutating func send() -> [Waiter] {
    guard waiterCount > 0 else { return [] }
    let waiting = entries.compactMap { identifier, entry -> (Int, Waiter)? in
      if case .waiting(let waiter) = entry { (identifier, waiter) } else { nil }
    }
    for (identifier, _) in waiting { entries[identifier] = nil }
    waiterCount = 0
    return waiting.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Ends the slot. Resume the returned waiters with the error. Only the first call has an effect.
  mutating func finish(throwing error: any Error) -> [Waiter] {
    guard !isFinished else { return [] }
    isFinished = true
    finishError = error
    return send()
  }
}
