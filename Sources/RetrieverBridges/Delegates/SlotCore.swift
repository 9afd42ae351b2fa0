import Synchronization

/// Drives a ``SlotStateMachine`` and delivers events to the sequences: changes the state under a lock, and then
/// resumes tasks after unlocking.
final class SlotCore<Event: Sendable>: Sendable {
  typealias Waiter = CheckedContinuation<Event, any Error>
  private typealias Token = SlotStateMachine<Waiter>.Token

  private struct State {
    var machine: SlotStateMachine<Waiter>
    var nextSubscription = 0
    var subscriptions: [Int: EventBuffer<Event>] = [:]
    /// Set when the slot is finished: the error that sequences end with, or nil.
    var end: (any Error)??
  }

  private let site: CallSite
  private let state: Mutex<State>

  init(waiters: SlotWaiters, site: CallSite) {
    self.site = site
    state = Mutex(State(machine: SlotStateMachine(admission: waiters)))
  }

  var wentAway: BridgeError { BridgeError(.delegateWentAway, at: site) }

  var waiterCount: Int { state.withLock { $0.machine.waiterCount } }
  var entryCount: Int { state.withLock { $0.machine.entryCount } }
  var subscriptionCount: Int { state.withLock { $0.subscriptions.count } }

  func next(isolation: isolated (any Actor)?, after start: () throws -> Void) async throws -> Event {
    let token = state.withLock { $0.machine.announce() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
        guard register(waiter, as: token) else { return }
        do { try start() } catch { withdraw(token, error) }
      }
    } onCancel: {
      withdraw(token, CancellationError())
    }
  }

  private func register(_ waiter: Waiter, as token: Token) -> Bool {
    let (action, error) = state.withLock { ($0.machine.register(waiter, as: token), $0.machine.error) }
    switch action {
    case .wait: return true
    case .resumeCancelled: waiter.resume(throwing: CancellationError())
    case .resumeAlreadyWaiting: waiter.resume(throwing: BridgeError(.alreadyWaiting, at: site))
    case .resumeFinished: waiter.resume(throwing: error ?? wentAway)
    }
    return false
  }

  private func withdraw(_ token: Token, _ error: any Error) {
    state.withLock { $0.machine.cancel(token) }?.resume(throwing: error)
  }

  /// Sends an event. Returns the number of tasks and sequences that receive it.
  func send(_ event: Event) -> Int {
    let (waiters, buffers) = state.withLock { ($0.machine.send(), Array($0.subscriptions.values)) }
    for waiter in waiters { waiter.resume(returning: event) }
    for buffer in buffers { buffer.append(event) }
    return waiters.count + buffers.count
  }

  /// Sends an error. Returns the number of tasks that receive it.
  func send(throwing error: any Error) -> Int {
    let waiters = state.withLock { $0.machine.send() }
    for waiter in waiters { waiter.resume(throwing: error) }
    return waiters.count
  }

  /// Ends the slot. Current and future waiters receive `error`; sequences end with `sequenceError`.
  func finish(throwing error: any Error, toSequences sequenceError: (any Error)?) {
    let (waiters, buffers) = state.withLock { state in
      if state.end == nil { state.end = .some(sequenceError) }
      defer { state.subscriptions = [:] }
      return (state.machine.finish(throwing: error), state.subscriptions)
    }
    for waiter in waiters { waiter.resume(throwing: error) }
    for buffer in buffers.values { buffer.finish(throwing: sequenceError) }
  }

  func subscribe(_ buffering: EventBuffering, site: CallSite) -> (EventBuffer<Event>, Int) {
    let buffer = EventBuffer<Event>(buffering: buffering, site: site)
    let (identifier, end) = state.withLock { state in
      state.nextSubscription += 1
      if state.end == nil { state.subscriptions[state.nextSubscription] = buffer }
      return (state.nextSubscription, state.end)
    }
    if case .some(let error) = end { buffer.finish(throwing: error) }
    return (buffer, identifier)
  }

  func unsubscribe(_ identifier: Int) {
    // The buffer is released after unlocking, because its elements can own any object.
    let buffer = state.withLock { $0.subscriptions.removeValue(forKey: identifier) }
    buffer?.cancel()
  }
}
