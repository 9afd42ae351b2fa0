/// An element that a listener receives.
package enum EventDelivery: Sendable, Hashable {
  /// The events after the last delivery, the oldest first.
  case events([KennelEvent])
  /// The listener was too slow or away for too long, so events up to this id are lost. The listener has to load the
  /// current state again. It receives later events as usual.
  case missed(through: Int64)
}

/// The listeners and the events that each of them has received. A pure value, driven by ``EventHub``.
///
/// The latest events are stored once, in a ring buffer that all listeners share. A listener is a position in it. A
/// listener that falls behind the oldest event in the ring is notified and does not slow down the others.
struct EventHubState: Sendable {
  typealias ID = Int

  enum Answer: Sendable, Equatable {
    case deliver(EventDelivery)
    case wait
    case end
  }

  private struct Listener: Sendable {
    /// The id of the last event that was delivered to it.
    var position: Int64
    var isWaiting = false
  }

  private let capacity: Int
  private let maximumListenerCount: Int
  /// The events in order. The oldest one is at `head`.
  private var ring: [KennelEvent] = []
  private var head = 0
  private(set) var lastID: Int64
  /// The id after which the ring has all events.
  private(set) var lastDiscardedID: Int64
  private var listeners: [ID: Listener] = [:]
  private var nextID = 0
  private(set) var isClosed = false

  /// - Parameter lastID: the id of the latest event that exists already.
  init(capacity: Int, maximumListenerCount: Int, lastID: Int64) {
    self.capacity = max(capacity, 1)
    self.maximumListenerCount = maximumListenerCount
    self.lastID = lastID
    lastDiscardedID = lastID
  }

  var listenerCount: Int { listeners.count }
  var waitingCount: Int { listeners.values.count { $0.isWaiting } }

  /// Adds a listener. Returns nil if there are too many already.
  mutating func add(after position: Int64?) -> ID? {
    guard listeners.count < maximumListenerCount else { return nil }
    defer { nextID += 1 }
    listeners[nextID] = Listener(position: position ?? lastID)
    return nextID
  }

  mutating func remove(_ id: ID) { listeners[id] = nil }

  /// Records that a listener has received events from the log. Returns true if the ring has all events that follow.
  mutating func catchUp(_ id: ID, to position: Int64) -> Bool {
    listeners[id]?.position = position
    return position >= lastDiscardedID
  }

  /// Skips events that are missing before others, because the log lost them first. The ids of events have no gaps.
  ///
  /// - Returns: the id of the last event that was skipped, or nil if none is missing.
  mutating func skipMissing(before events: [KennelEvent]) -> Int64? {
    guard let first = events.first(where: { $0.id > lastID }), first.id > lastID + 1 else { return nil }
    skip(to: first.id - 1)
    return lastID
  }

  /// Skips the events up to an id. The ring is emptied, so each listener that has not received all events before it is notified.
  mutating func skip(to id: Int64) {
    guard id > lastID else { return }
    (ring, head) = ([], 0)
    (lastID, lastDiscardedID) = (id, id)
  }

  /// Adds events. Returns true if a listener waits for them.
  mutating func append(_ events: [KennelEvent]) -> Bool {
    for event in events where event.id > lastID {
      lastID = event.id
      if ring.count < capacity {
        ring.append(event)
      } else {
        lastDiscardedID = ring[head].id
        ring[head] = event
        head = (head + 1) % capacity
      }
    }
    return listeners.values.contains { $0.isWaiting && $0.position < lastID }
  }

  /// Returns what a listener receives now. After `wait`, the listener is resumed by `wake`, `cancelWait` or `close`.
  mutating func next(_ id: ID) -> Answer {
    guard var listener = listeners[id], !listener.isWaiting else { return .end }
    defer { listeners[id] = listener }
    if let delivery = delivery(&listener, shared: { events(after: $0) }) { return .deliver(delivery) }
    if isClosed { return .end }
    listener.isWaiting = true
    return .wait
  }

  /// Ends the wait of all listeners with new events. Returns them with their deliveries.
  mutating func wake() -> [(ID, EventDelivery)] {
    var woken: [(ID, EventDelivery)] = []
    // Nearly all listeners wait for the same events, so they share one array.
    var slices: [Int64: [KennelEvent]] = [:]
    for (id, var listener) in listeners where listener.isWaiting && listener.position < lastID {
      let found = delivery(&listener) { position in
        if let slice = slices[position] { return slice }
        let slice = events(after: position)
        slices[position] = slice
        return slice
      }
      guard let found else { continue }
      listener.isWaiting = false
      listeners[id] = listener
      woken.append((id, found))
    }
    return woken
  }

  /// Ends the wait of a listener. Returns true if it was waiting.
  mutating func cancelWait(_ id: ID) -> Bool {
    guard listeners[id]?.isWaiting == true else { return false }
    listeners[id]?.isWaiting = false
    return true
  }

  /// Closes the hub. Returns the listeners that were waiting.
  mutating func close() -> [ID] {
    isClosed = true
    let waiting = listeners.filter { $0.value.isWaiting }.map(\.key)
    for id in waiting { listeners[id]?.isWaiting = false }
    return waiting
  }

  private func delivery(
    _ listener: inout Listener, shared: (Int64) -> [KennelEvent]
  ) -> EventDelivery? {
    if listener.position < lastDiscardedID {
      listener.position = lastDiscardedID
      return .missed(through: lastDiscardedID)
    }
    // A listener that comes from another process may be ahead of this one. It waits for the events after its own.
    guard listener.position < lastID else { return nil }
    let events = shared(listener.position)
    listener.position = lastID
    return .events(events)
  }

  private func events(after id: Int64) -> [KennelEvent] {
    var low = 0
    var high = ring.count
    while low < high {
      let middle = (low + high) / 2
      if ring[(head + middle) % ring.count].id > id { high = middle } else { low = middle + 1 }
    }
    return (low..<ring.count).map { ring[(head + $0) % ring.count] }
  }
}
