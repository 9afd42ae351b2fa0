import Dispatch
import KennelStorage
import Synchronization

/// Delivers events to thousands of listeners without waiting for any of them.
package final class EventHub: Sendable {
  /// Older events from the log.
  struct Replay: Sendable {
    var events: [KennelEvent]
    /// Events up to this id are no longer in the log.
    var lastDiscardedID: Int64
    /// The id of the latest event ever written.
    var lastID: Int64
  }

  private struct State: Sendable {
    var hub: EventHubState
    var waiting: [EventHubState.ID: CheckedContinuation<EventDelivery?, Never>] = [:]
    var isWaking = false
    var observers: [@Sendable (EventDelivery) -> Void] = []
  }

  private let state: Mutex<State>
  private let replay: @Sendable (_ after: Int64) async throws(KennelError) -> Replay
  private let poller: ChangePoller?
  /// A separate queue, because waking thousands of listeners takes milliseconds and must not delay a change of a post.
  private let waker = DispatchQueue(label: "kennel.events")

  /// - Parameter poller: polls for changes by other processes. It starts with the first listener or observer.
  init(
    capacity: Int, maximumListenerCount: Int, lastID: Int64, poller: ChangePoller? = nil,
    replay: @escaping @Sendable (_ after: Int64) async throws(KennelError) -> Replay
  ) {
    state = Mutex(
      State(
        hub: EventHubState(capacity: capacity, maximumListenerCount: maximumListenerCount, lastID: lastID)))
    self.replay = replay
    self.poller = poller
  }

  /// The id of the latest event.
  package var lastID: Int64 { state.withLock { $0.hub.lastID } }
  /// The number of listeners.
  package var listenerCount: Int { state.withLock { $0.hub.listenerCount } }
  /// The number of listeners that have received all events and wait for more.
  package var waitingCount: Int { state.withLock { $0.hub.waitingCount } }

  /// Adds a listener for all events from now on, or for all events after a given one, until the listener is released.
  ///
  /// - Parameter lastEventID: the last event that the listener has received, as in `Last-Event-ID`.
  /// - Throws: `busy` if there are too many listeners.
  package func listen(after lastEventID: Int64? = nil) throws(KennelError) -> EventListener {
    let added = state.withLock { state in
      state.hub.add(after: lastEventID).map { id in
        // The log also knows whether an id that is unknown here is of another process, or was never assigned.
        (id, lastEventID.map { $0 < state.hub.lastDiscardedID || $0 > state.hub.lastID } ?? false)
      }
    }
    guard let (id, needsReplay) = added else {
      throw KennelError(.busy, "There are too many event listeners. Try again later.")
    }
    poller?.begin(for: self)
    return EventListener(hub: self, id: id, replaysAfter: needsReplay ? lastEventID : nil)
  }

  /// Adds an observer that receives all events for as long as the store is open. It does not count as a listener.
  ///
  /// - Parameter observer: called on the thread that publishes events, so it must not block. An event may be delivered
  ///   twice. If events are lost, the observer is notified like a listener.
  package func observe(_ observer: @escaping @Sendable (EventDelivery) -> Void) {
    state.withLock { $0.observers.append(observer) }
    poller?.begin(for: self)
  }

  /// Publishes events of the log, in the order of their ids.
  ///
  /// The events must have been read after an id that was the latest here. So if the first one does not follow the latest, the log has
  /// already lost those in between. Listeners and observers are then notified that they missed events.
  func publish(_ events: [KennelEvent]) {
    let (missed, wakes, observers) = state.withLock { state in
      let missed = state.hub.skipMissing(before: events)
      let observers = state.observers
      guard state.hub.append(events), !state.isWaking else { return (missed, false, observers) }
      state.isWaking = true
      return (missed, true, observers)
    }
    for observer in observers {
      if let missed { observer(.missed(through: missed)) }
      observer(.events(events))
    }
    if wakes { waker.async { self.wake() } }
  }

  /// Ends all listeners after they have received the published events.
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
        // The task was cancelled before it waited, so the cancellation handler found nothing to end.
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

  /// Returns events from the log, or nil if the ring has all events that follow.
  fileprivate func replay(
    _ id: EventHubState.ID, after position: inout Int64?
  ) async throws(KennelError) -> EventDelivery? {
    guard let after = position else { return nil }
    let replay = try await replay(after)
    // The id was never assigned: the store was reset to an earlier state in the meantime.
    if after > replay.lastID {
      advance(id, to: replay.lastID, &position)
      return .missed(through: replay.lastID)
    }
    if after < replay.lastDiscardedID {
      advance(id, to: replay.lastDiscardedID, &position)
      return .missed(through: replay.lastDiscardedID)
    }
    guard let last = replay.events.last else {
      position = nil
      return nil
    }
    advance(id, to: last.id, &position)
    return .events(replay.events)
  }

  private func advance(_ id: EventHubState.ID, to last: Int64, _ position: inout Int64?) {
    let isLive = state.withLock { $0.hub.catchUp(id, to: last) }
    position = isLive ? nil : last
  }

  fileprivate func remove(_ id: EventHubState.ID) { state.withLock { $0.hub.remove(id) } }
}

/// A listener for events: a sequence that one task iterates once. It ends when the task is cancelled or the store is
/// closed. Releasing the listener removes it from the hub.
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
