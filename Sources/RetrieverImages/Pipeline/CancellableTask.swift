import Synchronization

/// A task that can be cancelled before it starts.
final class CancellableTask: Sendable {
  private enum State {
    case idle
    case running(Task<Void, Never>)
    case cancelled
  }

  private let state = Mutex(State.idle)

  func start(_ work: @escaping @Sendable () async -> Void) {
    let task = Task.detached(operation: work)
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .running(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let previous = state.withLock { state in
      defer { state = .cancelled }
      return state
    }
    if case .running(let task) = previous { task.cancel() }
  }
}
