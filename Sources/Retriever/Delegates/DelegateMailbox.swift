#if !canImport(Darwin)
  import Foundation
  import Synchronization

  /// The calls on their way to a session's delegates and completion handlers, in order, one at a time.
  ///
  /// The queue the program gave may run several operations at once; the order is kept all the same, because only one
  /// operation of the mailbox is on it at any moment.
  final class DelegateMailbox: Sendable {
    private struct State: Sendable {
      var calls: [@Sendable () -> Void] = []
      var isDelivering = false
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
      let starts = state.withLock { state in
        state.calls.append(call)
        defer { state.isDelivering = true }
        return !state.isDelivering
      }
      if starts { queue.addOperation { self.deliver() } }
    }

    private func deliver() {
      while true {
        let calls = state.withLock { state in
          if state.calls.isEmpty { state.isDelivering = false }
          defer { state.calls = [] }
          return state.calls
        }
        if calls.isEmpty { return }
        for call in calls { call() }
      }
    }
  }
#endif
