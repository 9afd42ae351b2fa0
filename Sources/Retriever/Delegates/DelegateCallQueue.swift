#if !canImport(Darwin)
import Foundation
import Synchronization

/// The queue of calls to a session's delegates and completion handlers, made in order, one at a time.
///
/// Each call is one operation on the queue. On a serial queue, it takes its turn among the program's own operations.
/// A queue that runs several operations at the same time may start the next one during a call. That operation passes
/// its turn to the running one and does not block a thread.
final class DelegateCallQueue: Sendable {
  private struct State: Sendable {
    var calls: [@Sendable () -> Void] = []
    /// The index in `calls` of the next call.
    var next = 0
    /// The number of started operations whose calls have not been made yet.
    var startedOperations = 0
    var isDelivering = false

    mutating func takeNext() -> (@Sendable () -> Void)? {
      guard startedOperations > 0, next < calls.count else {
        isDelivering = false
        return nil
      }
      startedOperations -= 1
      let call = calls[next]
      calls[next] = {}
      next += 1
      // Removing calls one by one would move all the others each time.
      if next == calls.count || next >= 512 {
        calls.removeFirst(next)
        next = 0
      }
      return call
    }
  }

  /// An operation that ignores cancellation, because someone waits for each call.
  private final class Delivery: Operation, @unchecked Sendable {
    // Unchecked because Operation is: nothing in this class changes.
    private let callQueue: DelegateCallQueue

    init(_ callQueue: DelegateCallQueue) { self.callQueue = callQueue }

    override func main() { callQueue.deliver() }

    override func cancel() {}
  }

  let queue: OperationQueue
  private let state = Mutex(State())

  init(queue: OperationQueue?) {
    if let queue {
      self.queue = queue
    } else {
      self.queue = OperationQueue()
      self.queue.maxConcurrentOperationCount = 1
      self.queue.name = "Retriever delegate queue"
    }
  }

  func post(_ call: @escaping @Sendable () -> Void) {
    state.withLock { $0.calls.append(call) }
    queue.addOperation(Delivery(self))
  }

  /// Makes one call, and the calls whose operations start in the meantime.
  private func deliver() {
    let begins = state.withLock { state in
      state.startedOperations += 1
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    guard begins else { return }
    while let call = state.withLock({ $0.takeNext() }) { call() }
  }
}
#endif
