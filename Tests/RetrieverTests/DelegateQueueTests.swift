#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// The order of calls to delegates and handlers among a program's own operations on the same queue.
@Suite(.timeLimit(.minutes(5))) struct DelegateQueueTests {
  private func serialQueue() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }

  @Test func `calls and a program's operations run in the order in which they were added`() async {
    let queue = serialQueue()
    let callQueue = DelegateCallQueue(queue: queue)
    let order = Log<Int>()
    let (started, go, done) = (Gate(), Gate(), Gate())
    callQueue.post {
      started.open()
      go.waitBlocking()
    }
    #expect(await started.wait(within: .seconds(90)))
    for number in 0..<100 {
      if number.isMultiple(of: 2) {
        callQueue.post { order.add(number) }
      } else {
        queue.addOperation { order.add(number) }
      }
    }
    queue.addOperation { done.open() }
    go.open()
    #expect(await done.wait(within: .seconds(90)))
    #expect(order.all == Array(0..<100))
  }

  @Test func `a program's operation is not starved by calls that keep coming`() async {
    let queue = serialQueue()
    let callQueue = DelegateCallQueue(queue: queue)
    let (own, stopped) = (Gate(), Gate())
    let calls = Atomic<Int>(0)
    @Sendable func again() {
      // Each call posts the next one, as in a busy session.
      let count = calls.add(1, ordering: .relaxed).newValue
      if own.isOpen || count > 10_000 { return stopped.open() }
      callQueue.post(again)
    }
    callQueue.post(again)
    queue.addOperation { own.open() }
    #expect(await stopped.wait(within: .seconds(90)))
    #expect(own.isOpen)
    #expect(calls.load(ordering: .relaxed) < 10_000)
  }

  @Test func `calls are serial and in order on a concurrent queue`() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 8
    let callQueue = DelegateCallQueue(queue: queue)
    let order = Log<Int>()
    let running = Atomic<Int>(0)
    let overlaps = Atomic<Int>(0)
    let done = Gate()
    for number in 0..<2000 {
      callQueue.post {
        if running.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
        order.add(number)
        running.subtract(1, ordering: .relaxed)
        if number == 1999 { done.open() }
      }
    }
    #expect(await done.wait(within: .seconds(90)))
    #expect(order.all == Array(0..<2000))
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test func `a waiting call blocks only one thread of a concurrent queue`() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 2
    let callQueue = DelegateCallQueue(queue: queue)
    let (started, go, own, last) = (Gate(), Gate(), Gate(), Gate())
    callQueue.post {
      started.open()
      go.waitBlocking(.seconds(55))
    }
    #expect(await started.wait(within: .seconds(90)))
    for _ in 0..<10 { callQueue.post {} }
    callQueue.post { last.open() }
    queue.addOperation { own.open() }
    #expect(await own.wait(within: .seconds(90)))
    #expect(!last.isOpen)
    go.open()
    #expect(await last.wait(within: .seconds(90)))
  }

  @Test func `a program that cancels its queue's operations loses no call`() async {
    let queue = serialQueue()
    let callQueue = DelegateCallQueue(queue: queue)
    let (started, go, last) = (Gate(), Gate(), Gate())
    let calls = Log<Int>()
    callQueue.post {
      started.open()
      go.waitBlocking()
    }
    #expect(await started.wait(within: .seconds(90)))
    for number in 0..<5 { callQueue.post { calls.add(number) } }
    callQueue.post { last.open() }
    queue.cancelAllOperations()
    go.open()
    #expect(await last.wait(within: .seconds(90)))
    #expect(calls.all == [0, 1, 2, 3, 4])
  }
}
#endif
