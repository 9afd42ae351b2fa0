import Foundation
import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct EventHubTests {
  private func event(_ id: Int64) -> KennelEvent {
    KennelEvent(id: id, post: 1, kind: .favourites(count: Int(id)), date: Date(milliseconds: 0))
  }

  private func makeHub(capacity: Int = 64, limit: Int = 10_000) -> EventHub {
    EventHub(capacity: capacity, maximumListenerCount: limit, lastID: 0) { after in
      EventHub.Replay(events: [], lastDiscardedID: after, lastID: after)
    }
  }

  /// Makes a hub that does not know the latest events of a log yet, which other processes have written.
  private func makeHub(lastID: Int64, log: ClosedRange<Int64>) -> EventHub {
    EventHub(capacity: 64, maximumListenerCount: 10, lastID: lastID) { [self] after in
      EventHub.Replay(
        events: log.filter { $0 > after }.map { event($0) }, lastDiscardedID: log.lowerBound - 1,
        lastID: log.upperBound)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a listener that comes from a process that is ahead receives each event once`()
    async throws
  {
    for latest: Int64 in [100, 101] {
      let hub = makeHub(lastID: 98, log: 90...latest)
      var iterator = try hub.listen(after: 100).makeAsyncIterator()
      if latest == 101 { #expect(try await iterator.next() == .events([event(101)])) }
      async let next = iterator.next()
      #expect(await eventually { hub.waitingCount == 1 })
      hub.publish((99...latest).map { event($0) })
      hub.publish([event(latest + 1)])
      #expect(try await next == .events([event(latest + 1)]))
    }
  }

  @Test func `an id that was never assigned counts as missed events`() async throws {
    for latest: Int64 in [98, 99] {
      let hub = makeHub(lastID: 98, log: 90...latest)
      var iterator = try hub.listen(after: 100).makeAsyncIterator()
      #expect(try await iterator.next() == .missed(through: latest))
      hub.publish((99...100).map { event($0) })
      #expect(try await iterator.next() == .events((latest + 1...100).map { event($0) }))
    }
  }

  /// Runs in a separate process, so that the number of threads can be measured.
  @Test func `thousands of listeners receive every event on a few threads`() async {
    await #expect(processExitsWith: .success) {
      let tests = EventHubTests()
      let hub = tests.makeHub(capacity: 1024)
      let before = ResourceSnapshot.take().threads
      let total = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<5000 {
          let listener = try hub.listen()
          group.addTask {
            var count = 0
            for try await delivery in listener {
              guard case .events(let events) = delivery else {
                throw TestSupportError("The listener missed events")
              }
              count += events.count
              if events.last?.id == 200 { break }
            }
            return count
          }
        }
        for id in 1...200 {
          hub.publish([tests.event(Int64(id))])
          if id % 20 == 0 { await Task.yield() }
        }
        let threads = ResourceSnapshot.take().threads
        #expect(threads < before + 16)
        return try await group.reduce(0, +)
      }
      #expect(total == 5000 * 200)
      #expect(await eventually { hub.listenerCount == 0 })
    }
  }

  @Test func `a slow listener does not delay others`() async throws {
    let hub = makeHub(capacity: 8)
    let slow = try hub.listen()
    var quick = try hub.listen().makeAsyncIterator()
    for id in 1...100 {
      hub.publish([event(Int64(id))])
      #expect(try await quick.next() == .events([event(Int64(id))]))
    }
    var iterator = slow.makeAsyncIterator()
    #expect(try await iterator.next() == .missed(through: 92))
    #expect(try await iterator.next() == .events((93...100).map { event($0) }))
  }

  @Test func `cancelling ends a listener in any state`() async throws {
    let hub = makeHub()
    for round in 0..<200 {
      let listener = try hub.listen()
      let task = Task { () async throws -> EventDelivery? in
        var iterator = listener.makeAsyncIterator()
        return try await iterator.next()
      }
      if round % 2 == 0 { await Task.yield() }
      task.cancel()
      #expect(try await task.value == nil)
    }
    #expect(await eventually { hub.listenerCount == 0 })
  }

  @Test func `closing ends waiting listeners`() async throws {
    let hub = makeHub()
    let tasks = try (0..<100).map { _ in
      let listener = try hub.listen()
      return Task {
        var iterator = listener.makeAsyncIterator()
        return try await iterator.next()
      }
    }
    #expect(await eventually { hub.waitingCount == 100 })
    hub.close()
    for task in tasks { #expect(try await task.value == nil) }
  }

  @Test func tooManyListenersAreRefused() async throws {
    let hub = makeHub(limit: 1)
    let first = try hub.listen()
    #expect(await code { _ = try hub.listen() } == .busy)
    withExtendedLifetime(first) {}
  }
}
