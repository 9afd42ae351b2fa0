import Dispatch
import Synchronization

/// Tells thousands of listeners what happens, without waiting for any of them.
package final class EventHub: Sendable {
  /// Reads older events from the log.
  struct Replay: Sendable {
    var events: [KennelEvent]
    /// Up to this id nothing can be replayed.
    var forgotten: Int64
  }

  private struct State: Sendable {
    var hub: EventHubState
    var waiting: [EventHubState.ID: CheckedContinuation<EventDelivery?, Never>] = [:]
    var isWaking = false
    var observers: [@Sendable ([KennelEvent]) -> Void] = []
  }

  private let state: Mutex<State>
  private let replay: @Sendable (_ after: Int64) async throws(KennelError) -> Replay
  private let watch: ChangeWatch?
  /// Waking thousands takes milliseconds, which no change of a post should wait for.
  private let waker = DispatchQueue(label: "kennel.events")

  /// - Parameter watch: what tells of other processes' changes, as soon as somebody listens or observes.
  init(
    capacity: Int, listenerLimit: Int, lastID: Int64, watch: ChangeWatch? = nil,
    replay: @escaping @Sendable (_ after: Int64) async throws(KennelError) -> Replay
  ) {
    state = Mutex(
      State(hub: EventHubState(capacity: capacity, listenerLimit: listenerLimit, lastID: lastID)))
    self.replay = replay
    self.watch = watch
  }

  /// The id of the latest event.
  package var lastID: Int64 { state.withLock { $0.hub.lastID } }
  /// How many listen.
  package var listenerCount: Int { state.withLock { $0.hub.listenerCount } }
  /// How many of them have heard everything and wait for more.
  package var waitingCount: Int { state.withLock { $0.hub.waitingCount } }

  /// Listens from now on, or to all that came after an event, until the listener is dropped.
  ///
  /// - Parameter lastEventID: the last event the listener has heard of, as in `Last-Event-ID`.
  /// - Throws: `busy` when there are too many listeners.
  package func listen(after lastEventID: Int64? = nil) throws(KennelError) -> EventListener {
    let added = state.withLock { state in
      state.hub.add(after: lastEventID).map { ($0, (lastEventID ?? .max) < state.hub.forgotten) }
    }
    guard let (id, isBehind) = added else {
      throw KennelError(.busy, "Too many are listening to events already. Try again later.")
    }
    watch?.begin(for: self)
    return EventListener(hub: self, id: id, replaysAfter: isBehind ? lastEventID : nil)
  }

  /// Has somebody told of all events for as long as the store is open, who is no listener to be counted.
  ///
  /// - Parameter observer: called where events are handed on, so it may not block. An event may come twice.
  func observe(_ observer: @escaping @Sendable ([KennelEvent]) -> Void) {
    state.withLock { $0.observers.append(observer) }
    watch?.begin(for: self)
  }

  /// Hands events on, in the order of their ids.
  func publish(_ events: [KennelEvent]) {
    let (wakes, observers) = state.withLock { state in
      let observers = state.observers
      guard state.hub.append(events), !state.isWaking else { return (false, observers) }
      state.isWaking = true
      return (true, observers)
    }
    for observer in observers { observer(events) }
    if wakes { waker.async { self.wake() } }
  }

  /// Ends all listeners once they have heard what was published.
  package func close() {
    let ended = state.withLock { state in
      state.hub.close().compactMap { state.waiting.removeValue(forKey: $0) }
    }
    for continuation in ended { continuation.resume(returning: nil) }
  }

  private func wake() {
    let woken = state.withLock { state in
      state.isWaking = false
      return state.hub.wake().compactMap { id, delivery in
        state.waiting.removeValue(forKey: id).map { ($0, delivery) }
      }
    }
    for (continuation, delivery) in woken { continuation.resume(returning: delivery) }
  }

  fileprivate func next(_ id: EventHubState.ID) async -> EventDelivery? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state in
          let answer = state.hub.next(id)
          if answer == .wait { state.waiting[id] = continuation }
          return answer
        }
        switch answer {
        case .deliver(let delivery): continuation.resume(returning: delivery)
        case .end: continuation.resume(returning: nil)
        // Cancelled before it waited: the handler found nothing to end.
        case .wait: if Task.isCancelled { cancelWait(id) }
        }
      }
    } onCancel: {
      cancelWait(id)
    }
  }

  private func cancelWait(_ id: EventHubState.ID) {
    let continuation = state.withLock { state in
      state.hub.cancelWait(id) ? state.waiting.removeValue(forKey: id) : nil
    }
    continuation?.resume(returning: nil)
  }

  /// Events from the log; nil when the ring has what follows.
  fileprivate func replay(
    _ id: EventHubState.ID, after heard: inout Int64?
  ) async throws(KennelError) -> EventDelivery? {
    guard let after = heard else { return nil }
    let replay = try await replay(after)
    if after < replay.forgotten {
      advance(id, to: replay.forgotten, &heard)
      return .missed(through: replay.forgotten)
    }
    guard let last = replay.events.last else {
      heard = nil
      return nil
    }
    advance(id, to: last.id, &heard)
    return .events(replay.events)
  }

  private func advance(_ id: EventHubState.ID, to last: Int64, _ heard: inout Int64?) {
    let isLive = state.withLock { $0.hub.catchUp(id, to: last) }
    heard = isLive ? nil : last
  }

  fileprivate func remove(_ id: EventHubState.ID) { state.withLock { $0.hub.remove(id) } }
}

/// One who listens to events: a sequence that one task goes through, once. It ends when the task is cancelled or the
/// store is closed; dropping it ends the listening.
package final class EventListener: AsyncSequence, Sendable {
  private let hub: EventHub
  private let id: EventHubState.ID
  private let replaysAfter: Int64?

  fileprivate init(hub: EventHub, id: EventHubState.ID, replaysAfter: Int64?) {
    self.hub = hub
    self.id = id
    self.replaysAfter = replaysAfter
  }

  deinit { hub.remove(id) }

  package func makeAsyncIterator() -> Iterator { Iterator(listener: self, replaysAfter: replaysAfter) }

  package struct Iterator: AsyncIteratorProtocol {
    private let listener: EventListener
    private var replaysAfter: Int64?

    fileprivate init(listener: EventListener, replaysAfter: Int64?) {
      self.listener = listener
      self.replaysAfter = replaysAfter
    }

    package mutating func next() async throws(KennelError) -> EventDelivery? {
      try await next(isolation: nil)
    }

    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(KennelError) -> EventDelivery? {
      if Task.isCancelled { return nil }
      if let delivery = try await listener.hub.replay(listener.id, after: &replaysAfter) { return delivery }
      return await listener.hub.next(listener.id)
    }
  }
}
