import Synchronization

/// A timer shared by all listeners. A beat wakes all of them. The timer is stopped while there are no listeners.
final class HeartbeatTimer: Sendable {
  private struct State: Sendable {
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var listeners = 0
    var timer: Task<Void, Never>?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let interval: Duration
  private let timer: any Clock<Duration>

  init(interval: Duration, timer: any Clock<Duration>) {
    self.interval = max(interval, .milliseconds(1))
    self.timer = timer
  }

  /// The number of listeners that wait for the next beat.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Calls a closure at each beat until it throws, the task is cancelled, or the timer is closed.
  func beat(_ body: () async throws -> Void) async throws {
    begin()
    defer { end() }
    while await next() { try await body() }
  }

  private func begin() {
    state.withLock { state in
      state.listeners += 1
      guard state.timer == nil, !state.isClosed else { return }
      // The timer ends with the last listener.
      state.timer = Task.detached { await self.run() }
    }
  }

  private func run() async {
    while (try? await timer.sleep(for: interval)) != nil { wake() }
  }

  private func end() {
    let timer = state.withLock { state in
      state.listeners -= 1
      return state.listeners == 0 ? state.timer.take() : nil
    }
    timer?.cancel()
  }

  private func wake() {
    let waiting = state.withLock { state in
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume(returning: true) }
  }

  private func next() async -> Bool {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isClosed = state.withLock { state in
          if !state.isClosed { state.waiting[id] = continuation }
          return state.isClosed
        }
        if isClosed { return continuation.resume(returning: false) }
        // The task was cancelled before it waited, so the cancellation handler found nothing to end.
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
  }

  private func cancel(_ id: Int) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
  }

  /// Stops the timer and ends all listeners.
  func close() {
    let (waiting, timer) = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [:] }
      return (state.waiting.values, state.timer.take())
    }
    timer?.cancel()
    for continuation in waiting { continuation.resume(returning: false) }
  }
}
