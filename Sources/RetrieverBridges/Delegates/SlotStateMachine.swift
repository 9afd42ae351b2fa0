/// The rules of a ``ContinuationSlot``: who waits for the next event, and who is resumed with what. No lock,
/// no resumption, no callback.
///
/// A waiter is announced first, so that a cancellation that comes before its registration finds a name to
/// leave its mark on. `Waiter` is a continuation in the driver, a plain number in the tests.
struct SlotStateMachine<Waiter> {
  enum RegisterAction: Equatable {
    case wait
    case resumeCancelled
    case resumeAlreadyWaiting
    case resumeFinished
  }

  private enum Entry {
    case announced
    /// The mark that a cancellation leaves which comes before the registration.
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

  /// How many wait.
  private(set) var waiterCount = 0
  /// How many are announced, marked or waiting: none is left behind when all are done.
  var entryCount: Int { entries.count }
  /// What ``finish(throwing:)`` was given.
  var error: (any Error)? { finishError }

  /// Somebody is going to wait under the number returned.
  mutating func announce() -> Int {
    nextIdentifier += 1
    entries[nextIdentifier] = .announced
    return nextIdentifier
  }

  /// The one announced has been suspended; if the answer is anything but `wait` it must be resumed at once.
  mutating func register(_ waiter: Waiter, as identifier: Int) -> RegisterAction {
    guard case .announced? = entries.removeValue(forKey: identifier) else { return .resumeCancelled }
    if isFinished { return .resumeFinished }
    if admission == .one, waiterCount > 0 { return .resumeAlreadyWaiting }
    entries[identifier] = .waiting(waiter)
    waiterCount += 1
    return .wait
  }

  /// The task of the one announced was cancelled. Resume whoever is returned with the cancellation.
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

  /// An event, or an error, has come. Resume those returned with it; they waited in this order.
  mutating func send() -> [Waiter] {
    guard waiterCount > 0 else { return [] }
    let waiting = entries.compactMap { identifier, entry -> (Int, Waiter)? in
      if case .waiting(let waiter) = entry { (identifier, waiter) } else { nil }
    }
    for (identifier, _) in waiting { entries[identifier] = nil }
    waiterCount = 0
    return waiting.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// No event will come any more. Resume those returned with the error; only the first call counts.
  mutating func finish(throwing error: any Error) -> [Waiter] {
    guard !isFinished else { return [] }
    isFinished = true
    finishError = error
    return send()
  }
}
