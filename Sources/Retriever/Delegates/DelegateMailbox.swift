#if !canImport(Darwin)
  import Foundation
  import Synchronization

  /// The calls on their way to a session's delegates and completion handlers, in order, one at a time.
  ///
  /// Each call is one operation on the queue: on a serial queue it takes its turn among the program's own operations,
  /// and neither overtakes nor starves them. A queue that runs several operations at a time may begin the next one while
  /// a call is under way; that operation leaves its turn to the one that runs, and holds no thread.
  final class DelegateMailbox: Sendable {
    private struct State: Sendable {
      var calls: [@Sendable () -> Void] = []
      /// Where in `calls` the next one is.
      var next = 0
      /// Operations that have begun and whose calls have not been made.
      var turns = 0
      var isDelivering = false

      mutating func takeNext() -> (@Sendable () -> Void)? {
        guard turns > 0, next < calls.count else {
          isDelivering = false
          return nil
        }
        turns -= 1
        let call = calls[next]
        calls[next] = {}
        next += 1
        // Removing them one by one would move all the others each time.
        if next == calls.count || next >= 512 {
          calls.removeFirst(next)
          next = 0
        }
        return call
      }
    }

    /// Cancelling the operations of a queue does not lose calls: somebody waits for each of them.
    private final class Delivery: Operation, @unchecked Sendable {
      // Unchecked because Operation is: nothing here changes.
      private let mailbox: DelegateMailbox

      init(_ mailbox: DelegateMailbox) { self.mailbox = mailbox }

      override func main() { mailbox.deliver() }

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

    /// Makes one call, and those whose operations begin meanwhile.
    private func deliver() {
      let begins = state.withLock { state in
        state.turns += 1
        defer { state.isDelivering = true }
        return !state.isDelivering
      }
      guard begins else { return }
      while let call = state.withLock({ $0.takeNext() }) { call() }
    }
  }
#endif
