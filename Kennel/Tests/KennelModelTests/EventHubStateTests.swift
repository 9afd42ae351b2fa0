import Foundation
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct EventHubStateTests {
  private func event(_ id: Int64) -> KennelEvent {
    KennelEvent(id: id, post: 1, kind: .posted, date: Date(milliseconds: 0))
  }

  /// Adds a listener to a hub that has room for it.
  private func addListener(_ hub: inout EventHubState, after heard: Int64?) -> Int {
    let id = hub.add(after: heard)
    #expect(id != nil)
    return id ?? -1
  }

  @Test func `a listener receives the events after its start`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 10, lastID: 5)
    let id = addListener(&hub, after: nil)
    #expect(hub.next(id) == .wait)
    #expect(hub.append([event(6), event(7)]) == true)
    #expect(hub.wake().map(\.1) == [.events([event(6), event(7)])])
    #expect(hub.wake().isEmpty)
    #expect(hub.next(id) == .wait)
  }

  @Test func `a slow listener is notified that it missed events`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 10, lastID: 0)
    let id = addListener(&hub, after: nil)
    for number in 1...7 { #expect(hub.append([event(Int64(number))]) == false) }
    #expect(hub.next(id) == .deliver(.missed(through: 3)))
    #expect(hub.next(id) == .deliver(.events((4...7).map(event))))
    #expect(hub.next(id) == .wait)
  }

  @Test func `an event is added once, in the order of ids`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 10, lastID: 0)
    let id = addListener(&hub, after: nil)
    _ = hub.append([event(1), event(2)])
    _ = hub.append([event(1), event(2), event(3)])
    #expect(hub.next(id) == .deliver(.events([event(1), event(2), event(3)])))
  }

  @Test func `a listener that is ahead waits for the events after its own`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 10, lastID: 3)
    let id = addListener(&hub, after: 5)
    #expect(hub.next(id) == .wait)
    #expect(hub.append([event(4), event(5)]) == false)
    #expect(hub.wake().isEmpty)
    #expect(hub.append([event(6)]) == true)
    #expect(hub.wake().map(\.1) == [.events([event(6)])])
  }

  @Test func `events that the log has lost are reported as missed`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 10, lastID: 0)
    let (slow, waiting) = (addListener(&hub, after: nil), addListener(&hub, after: nil))
    _ = hub.append([event(1), event(2)])
    #expect(hub.next(waiting) == .deliver(.events([event(1), event(2)])))
    #expect(hub.next(waiting) == .wait)
    #expect(hub.skipMissing(before: [event(2), event(3)]) == nil)
    #expect(hub.skipMissing(before: [event(2), event(8)]) == 7)
    #expect(hub.append([event(8)]) == true)
    #expect(hub.wake().map(\.1) == [.missed(through: 7)])
    for id in [slow, waiting] {
      if id == slow { #expect(hub.next(id) == .deliver(.missed(through: 7))) }
      #expect(hub.next(id) == .deliver(.events([event(8)])))
      #expect(hub.next(id) == .wait)
    }
  }

  @Test func `the number of listeners is limited`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 2, lastID: 0)
    let first = hub.add(after: nil)
    #expect(hub.add(after: nil) != nil)
    #expect(hub.add(after: nil) == nil)
    if let first { hub.remove(first) }
    #expect(hub.add(after: nil) != nil)
  }

  @Test func `closing ends a listener after it has received all events`() {
    var hub = EventHubState(capacity: 4, maximumListenerCount: 10, lastID: 0)
    let slow = addListener(&hub, after: nil)
    _ = hub.append([event(1)])
    let waiting = addListener(&hub, after: nil)
    #expect(hub.next(waiting) == .wait)
    #expect(hub.close() == [waiting])
    #expect(hub.next(slow) == .deliver(.events([event(1)])))
    #expect(hub.next(slow) == .end)
    #expect(hub.next(waiting) == .end)
  }

  @Test func `each event is received once or reported as missed`() throws {
    var hub = EventHubState(capacity: 16, maximumListenerCount: 40, lastID: 0)
    var heard: [Int: Int64] = [:]
    var waiting: Set<Int> = []
    var last: Int64 = 0
    func take(_ id: Int, _ delivery: EventDelivery) {
      switch delivery {
      case .missed(let through):
        #expect(through > heard[id] ?? .max)
        heard[id] = through
      case .events(let events):
        // Without a gap, up to the latest.
        #expect(events.map(\.id) == Array(((heard[id] ?? 0) + 1)...last))
        heard[id] = last
      }
    }
    SeededRandom.draw(30_000, eventsOf: 8, seed: 11) { kind, random in
      let someone = heard.keys.sorted().randomElement(using: &random)
      switch kind {
      case 0:
        if let id = hub.add(after: nil) { heard[id] = last }
      case 1, 2:
        let count = Int64.random(in: 1...20, using: &random)
        #expect(hub.append((1...count).map { event(last + $0) }) == !waiting.isEmpty)
        last += count
      case 3:
        let woken = hub.wake()
        if hub.lastID > 0 { #expect(waiting.isSuperset(of: woken.map(\.0))) }
        for (id, delivery) in woken {
          take(id, delivery)
          waiting.remove(id)
        }
      case 4:
        if let id = someone, Int.random(in: 0..<4, using: &random) == 0 {
          hub.remove(id)
          heard[id] = nil
          waiting.remove(id)
        }
      case 5:
        if let id = someone { #expect(hub.cancelWait(id) == (waiting.remove(id) != nil)) }
      default:
        guard let id = someone else { return }
        switch hub.next(id) {
        case .deliver(let delivery): take(id, delivery)
        case .wait:
          #expect(heard[id] == last)
          waiting.insert(id)
        case .end: #expect(waiting.contains(id))
        }
      }
      #expect(hub.listenerCount == heard.count && hub.waitingCount == waiting.count)
    }
  }
}
