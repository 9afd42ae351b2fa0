import Synchronization

/// A one-time event that tasks can wait for: the end of a server.
final class CompletionSignal: Sendable {
  private struct State {
    var isSignalled = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func signal() {
    let waiters = state.withLock { state in
      state.isSignalled = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for the event. Ignores cancellation, because a stopping server always ends within a limited time.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isSignalled = state.withLock { state in
        if !state.isSignalled { state.waiters.append(continuation) }
        return state.isSignalled
      }
      if isSignalled { continuation.resume() }
    }
  }
}
