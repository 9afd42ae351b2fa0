#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  @testable import Retriever

  /// The calls to delegates and handlers among a program's own operations on the same queue.
  @Suite(.timeLimit(.minutes(1))) struct DelegateQueueTests {
    private func serialQueue() -> OperationQueue {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      return queue
    }

    @Test func `calls and a program's operations run in the order in which they were added`() async {
      let queue = serialQueue()
      let mailbox = DelegateMailbox(queue: queue)
      let order = Notes<Int>()
      let (started, go, done) = (Gate(), Gate(), Gate())
      mailbox.post {
        started.open()
        go.waitBlocking()
      }
      #expect(await started.wait(within: .seconds(30)))
      for number in 0..<100 {
        if number.isMultiple(of: 2) {
          mailbox.post { order.add(number) }
        } else {
          queue.addOperation { order.add(number) }
        }
      }
      queue.addOperation { done.open() }
      go.open()
      #expect(await done.wait(within: .seconds(30)))
      #expect(order.all == Array(0..<100))
    }

    @Test func `a program's operation is not starved by calls that keep coming`() async {
      let queue = serialQueue()
      let mailbox = DelegateMailbox(queue: queue)
      let (own, stopped) = (Gate(), Gate())
      let calls = Atomic<Int>(0)
      @Sendable func again() {
        // Each call posts the next one, as a busy session does.
        let count = calls.add(1, ordering: .relaxed).newValue
        if own.isOpen || count > 10_000 { return stopped.open() }
        mailbox.post(again)
      }
      mailbox.post(again)
      queue.addOperation { own.open() }
      #expect(await stopped.wait(within: .seconds(30)))
      #expect(own.isOpen)
      #expect(calls.load(ordering: .relaxed) < 10_000)
    }

    @Test func `calls come one at a time and in order whatever a concurrent queue allows`() async {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 8
      let mailbox = DelegateMailbox(queue: queue)
      let order = Notes<Int>()
      let running = Atomic<Int>(0)
      let overlaps = Atomic<Int>(0)
      let done = Gate()
      for number in 0..<2000 {
        mailbox.post {
          if running.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
          order.add(number)
          running.subtract(1, ordering: .relaxed)
          if number == 1999 { done.open() }
        }
      }
      #expect(await done.wait(within: .seconds(30)))
      #expect(order.all == Array(0..<2000))
      #expect(overlaps.load(ordering: .relaxed) == 0)
    }

    @Test func `a call that waits holds no second thread of a concurrent queue`() async {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 2
      let mailbox = DelegateMailbox(queue: queue)
      let (started, go, own, last) = (Gate(), Gate(), Gate(), Gate())
      mailbox.post {
        started.open()
        go.waitBlocking(.seconds(55))
      }
      #expect(await started.wait(within: .seconds(30)))
      for _ in 0..<10 { mailbox.post {} }
      mailbox.post { last.open() }
      queue.addOperation { own.open() }
      #expect(await own.wait(within: .seconds(30)))
      #expect(!last.isOpen)
      go.open()
      #expect(await last.wait(within: .seconds(30)))
    }

    @Test func `a program that cancels its queue's operations loses no call`() async {
      let queue = serialQueue()
      let mailbox = DelegateMailbox(queue: queue)
      let (started, go, last) = (Gate(), Gate(), Gate())
      let calls = Notes<Int>()
      mailbox.post {
        started.open()
        go.waitBlocking()
      }
      #expect(await started.wait(within: .seconds(30)))
      for number in 0..<5 { mailbox.post { calls.add(number) } }
      mailbox.post { last.open() }
      queue.cancelAllOperations()
      go.open()
      #expect(await last.wait(within: .seconds(30)))
      #expect(calls.all == [0, 1, 2, 3, 4])
    }
  }
#endif
