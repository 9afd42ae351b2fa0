import Synchronization
import Waiting

/// Limits the number of tasks that run at the same time. Other tasks wait in a queue without blocking a thread.
package final class AsyncSemaphore: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiters = WaitingTasks<Entry>()
  }

  private let state: Mutex<State>
  private let maximumWaitingCount: Int
  private let name: String

  /// - Parameters:
  ///   - name: the plural name of the work, for the error message when too many tasks are waiting.
  ///   - maximumWaitingCount: the maximum number of waiting tasks.
  package init(_ name: String, permits: Int, maximumWaitingCount: Int) {
    state = Mutex(State(free: max(permits, 1)))
    self.name = name
    self.maximumWaitingCount = maximumWaitingCount
  }

  /// The number of waiting tasks.
  var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Runs the work when a permit is free.
  ///
  /// - Throws: `busy` if too many tasks are waiting, `cancelled` if the task is cancelled while it is waiting.
  package func withPermit<Value: Sendable>(
    _ work: () async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    switch await enter() {
    case .admitted: break
    case .cancelled: throw .cancelled
    case .full: throw KennelError(.busy, "Too many \(name) are waiting. Try again in a moment.")
    }
    defer { release() }
    return try await work()
  }

  private enum Entry: Sendable {
    case admitted
    case cancelled
    case full
  }

  private func enter() async -> Entry {
    await state.wait(in: \.waiters, ifCancelled: .cancelled) { state in
      guard state.free > 0 else { return state.waiters.count < maximumWaitingCount ? nil : .full }
      state.free -= 1
      return .admitted
    }
  }

  private func release() {
    let next = state.withLock { state in
      let next = state.waiters.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: .admitted)
  }
}
