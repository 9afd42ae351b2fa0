import TestSupport
import Testing

@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct BlockingWorkQueueStateTests {
  @Test func `waiting jobs start in batches, in order`() {
    var queue = BlockingWorkQueueState(slots: 1, batch: 3, maximumWaitingCount: 10)
    #expect(queue.submit(0) == .start(slot: 0, jobs: [0]))
    for id in 1...4 { #expect(queue.submit(id) == .wait) }
    #expect(queue.finished(slot: 0) == [1, 2, 3])
    #expect(queue.finished(slot: 0) == [4])
    #expect(queue.finished(slot: 0) == [])
    #expect(queue.isIdle)
  }

  @Test func `a job beyond the maximum waiting count is refused`() {
    var queue = BlockingWorkQueueState(slots: 1, batch: 1, maximumWaitingCount: 2)
    _ = queue.submit(0)
    #expect(queue.submit(1) == .wait)
    #expect(queue.submit(2) == .wait)
    #expect(queue.submit(3) == .full)
    #expect(queue.cancel(1) == true)
    #expect(queue.submit(4) == .wait)
  }

  @Test func `a cancelled job never starts`() {
    var queue = BlockingWorkQueueState(slots: 1, batch: 8, maximumWaitingCount: 1000)
    _ = queue.submit(0)
    for id in 1...500 { _ = queue.submit(id) }
    for id in 1...500 where id % 5 != 0 { #expect(queue.cancel(id) == true) }
    #expect(queue.cancel(0) == false)
    #expect(queue.cancel(1) == false)
    var started: [Int] = []
    while true {
      let jobs = queue.finished(slot: 0)
      if jobs.isEmpty { break }
      started += jobs
    }
    #expect(started == Array(stride(from: 5, through: 500, by: 5)))
  }

  @Test func `each job ends exactly once`() {
    var queue = BlockingWorkQueueState(slots: 3, batch: 4, maximumWaitingCount: 20)
    var running: [Int: [Int]] = [:]
    var waiting: Set<Int> = []
    SeededRandom.draw(20_000, eventsOf: 4, seed: 7) { kind, random in
      switch kind {
      case 0, 1:
        let id = queue.makeID()
        switch queue.submit(id) {
        case .start(let slot, let jobs):
          #expect(running[slot] == nil && jobs == [id] && waiting.isEmpty)
          running[slot] = jobs
        case .wait:
          #expect(running.count == 3)
          waiting.insert(id)
        case .full: #expect(waiting.count == 20)
        case .closed: Issue.record("The queue was not closed")
        }
      case 2:
        if let id = waiting.randomElement(using: &random) {
          #expect(queue.cancel(id) == true)
          waiting.remove(id)
        }
      default:
        guard let slot = running.keys.sorted().randomElement(using: &random) else { return }
        let next = queue.finished(slot: slot)
        #expect(waiting.isSuperset(of: next) && next.count == min(4, waiting.count))
        waiting.subtract(next)
        running[slot] = next.isEmpty ? nil : next
      }
      #expect(queue.waitingCount == waiting.count)
      #expect(queue.isIdle == (running.isEmpty && waiting.isEmpty))
    }
  }
}
