import Synchronization
import Waiting

/// Limits the number of tasks that run at the same time. Other tasks wait in a queue without blocking a thread.
package final class AsyncSemaphore: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiters = Waiters<Bool, Never>()
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
    guard try await acquire() else { throw .cancelled }
    defer { release() }
    return try await work()
  }

  private enum Entry {
    case free
    case wait
    case full
  }

  private func acquire() async throws(KennelError) -> Bool {
    let (token, entry): (Waiters<Bool, Never>.Token, Entry) = state.withLock { state in
      let token = state.waiters.makeToken()
      if state.free > 0 {
        state.free -= 1
        return (token, .free)
      }
      return (token, state.waiters.count < maximumWaitingCount ? .wait : .full)
    }
    switch entry {
    case .free: return true
    case .full: throw KennelError(.busy, "Too many \(name) are waiting. Try again in a moment.")
    case .wait: break
    }
    defer { state.withLock { $0.waiters.forget(token) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // In the meantime, a permit may have become free, or the task may have been cancelled.
        let answer: Bool? = state.withLock { state in
          guard state.waiters.wait(continuation, as: token) else { return false }
          guard state.free > 0, state.waiters.cancel(token) != nil else { return nil }
          state.free -= 1
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLock { $0.waiters.cancel(token) }?.resume(returning: false)
    }
  }

  private func release() {
    let next = state.withLock { state in
      let next = state.waiters.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?.resume(returning: true)
  }
}
