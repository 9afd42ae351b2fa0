/// What a listener is handed.
package enum EventDelivery: Sendable, Hashable {
  /// Events that follow the last ones, the oldest first.
  case events([KennelEvent])
  /// The listener was too slow, or away for too long: events up to this id are lost to it. It has to look at the state
  /// of things anew, and hears what comes after.
  case missed(through: Int64)
}

/// Who listens and has heard what: a pure value, driven by ``EventHub``.
///
/// The latest events stand once, in a ring that all listeners share; a listener is a number in it. Who falls behind
/// the ring's oldest event is told so, and holds up nobody.
struct EventHubState: Sendable {
  typealias ID = Int

  enum Answer: Sendable, Equatable {
    case deliver(EventDelivery)
    case wait
    case end
  }

  private struct Listener: Sendable {
    /// The id of the last event it was handed.
    var heard: Int64
    var isWaiting = false
  }

  private let capacity: Int
  private let listenerLimit: Int
  /// In order; the oldest stands at `head`.
  private var ring: [KennelEvent] = []
  private var head = 0
  private(set) var lastID: Int64
  /// The ring has all events after this one.
  private(set) var forgotten: Int64
  private var listeners: [ID: Listener] = [:]
  private var nextID = 0
  private(set) var isClosed = false

  /// - Parameter lastID: that of the latest event before those that are to come.
  init(capacity: Int, listenerLimit: Int, lastID: Int64) {
    self.capacity = max(capacity, 1)
    self.listenerLimit = listenerLimit
    self.lastID = lastID
    forgotten = lastID
  }

  var listenerCount: Int { listeners.count }
  var waitingCount: Int { listeners.values.count { $0.isWaiting } }

  /// Nil when there are too many already.
  mutating func add(after heard: Int64?) -> ID? {
    guard listeners.count < listenerLimit else { return nil }
    defer { nextID += 1 }
    listeners[nextID] = Listener(heard: heard ?? lastID)
    return nextID
  }

  mutating func remove(_ id: ID) { listeners[id] = nil }

  /// A listener has heard this from the log. True when the ring has all that follows.
  mutating func catchUp(_ id: ID, to heard: Int64) -> Bool {
    listeners[id]?.heard = heard
    return heard >= forgotten
  }

  /// True when somebody waits for what was added.
  mutating func append(_ events: [KennelEvent]) -> Bool {
    for event in events where event.id > lastID {
      lastID = event.id
      if ring.count < capacity {
        ring.append(event)
      } else {
        forgotten = ring[head].id
        ring[head] = event
        head = (head + 1) % capacity
      }
    }
    return listeners.values.contains { $0.isWaiting && $0.heard < lastID }
  }

  /// What a listener gets now. After `wait` it is answered by `wake`, `cancelWait` or `close`.
  mutating func next(_ id: ID) -> Answer {
    guard var listener = listeners[id], !listener.isWaiting else { return .end }
    defer { listeners[id] = listener }
    if let delivery = delivery(&listener, shared: { events(after: $0) }) { return .deliver(delivery) }
    if isClosed { return .end }
    listener.isWaiting = true
    return .wait
  }

  /// Those who waited, and what they get.
  mutating func wake() -> [(ID, EventDelivery)] {
    var woken: [(ID, EventDelivery)] = []
    // Nearly all wait for the same: they share it.
    var slices: [Int64: [KennelEvent]] = [:]
    for (id, var listener) in listeners where listener.isWaiting && listener.heard < lastID {
      let found = delivery(&listener) { heard in
        if let slice = slices[heard] { return slice }
        let slice = events(after: heard)
        slices[heard] = slice
        return slice
      }
      guard let found else { continue }
      listener.isWaiting = false
      listeners[id] = listener
      woken.append((id, found))
    }
    return woken
  }

  /// True when it waited.
  mutating func cancelWait(_ id: ID) -> Bool {
    guard listeners[id]?.isWaiting == true else { return false }
    listeners[id]?.isWaiting = false
    return true
  }

  /// No event comes any more. The answer is who waits.
  mutating func close() -> [ID] {
    isClosed = true
    let waiting = listeners.filter { $0.value.isWaiting }.map(\.key)
    for id in waiting { listeners[id]?.isWaiting = false }
    return waiting
  }

  private func delivery(
    _ listener: inout Listener, shared: (Int64) -> [KennelEvent]
  ) -> EventDelivery? {
    // An id that was never given: the store was put back to an earlier state since.
    if listener.heard > lastID {
      listener.heard = lastID
      return .missed(through: lastID)
    }
    if listener.heard < forgotten {
      listener.heard = forgotten
      return .missed(through: forgotten)
    }
    guard listener.heard < lastID else { return nil }
    let events = shared(listener.heard)
    listener.heard = lastID
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
