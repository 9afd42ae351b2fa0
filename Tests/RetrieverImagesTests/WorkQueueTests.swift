import Testing

@testable import RetrieverImages

@Suite struct WorkQueueTests {
  @Test func `the number of running jobs does not exceed the slots`() {
    var queue = WorkQueue(slots: 2)
    let ids = (0..<4).map { _ in queue.makeID() }
    #expect(ids.map { queue.submit($0, priority: .normal) } == [ids[0], ids[1], nil, nil])
    #expect(queue.runningCount == 2)
    #expect(queue.finished() == ids[2])
    #expect(queue.finished() == ids[3])
    #expect(queue.finished() == nil)
  }

  @Test func `the job with the highest priority starts first, then the oldest`() {
    var queue = WorkQueue(slots: 1)
    _ = queue.submit(queue.makeID(), priority: .normal)
    let priorities: [WorkPriority] = [.low, .normal, .veryHigh, .normal, .high, .veryLow]
    let ids = priorities.map { priority in
      let id = queue.makeID()
      _ = queue.submit(id, priority: priority)
      return id
    }
    let order = (0..<6).compactMap { _ in queue.finished() }
    #expect(order == [ids[2], ids[4], ids[1], ids[3], ids[0], ids[5]])
  }

  @Test func `a waiting job can be cancelled, a running job cannot`() {
    var queue = WorkQueue(slots: 1)
    let running = queue.makeID()
    let waiting = queue.makeID()
    _ = queue.submit(running, priority: .normal)
    _ = queue.submit(waiting, priority: .normal)
    let isRunningCancelled = queue.cancel(running)
    let isWaitingCancelled = queue.cancel(waiting)
    #expect(!isRunningCancelled)
    #expect(isWaitingCancelled)
    #expect(queue.finished() == nil)
    #expect(queue.waitingCount == 0)
  }

  @Test func `many jobs run in order`() {
    var queue = WorkQueue(slots: 1)
    var started: [WorkQueue.ID] = []
    for _ in 0..<1_000 {
      if let id = queue.submit(queue.makeID(), priority: .normal) { started.append(id) }
    }
    while let id = queue.finished() { started.append(id) }
    #expect(started == Array(0..<1_000))
  }

  @Test func `cancelled jobs do not accumulate while a job runs`() {
    var queue = WorkQueue(slots: 1)
    _ = queue.submit(queue.makeID(), priority: .normal)
    var kept: [WorkQueue.ID] = []
    for number in 0..<10_000 {
      let id = queue.makeID()
      _ = queue.submit(id, priority: number.isMultiple(of: 2) ? .low : .veryLow)
      if number.isMultiple(of: 1_000) { kept.append(id) } else { _ = queue.cancel(id) }
    }
    #expect(queue.queuedCount <= 200)
    var started: [WorkQueue.ID] = []
    while let id = queue.finished() { started.append(id) }
    #expect(started == kept)
  }
}
