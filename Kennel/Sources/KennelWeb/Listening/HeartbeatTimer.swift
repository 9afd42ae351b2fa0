import Synchronization
import Waiting

/// A timer shared by all listeners. A beat wakes all of them. The timer is stopped while there are no listeners.
final class HeartbeatTimer: Sendable {
  private struct State: Sendable {
    var waiting = WaitingTasks<Bool>()
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
    for continuation in state.withLock({ $0.waiting.takeAll() }) { continuation.resume(returning: true) }
  }

  private func next() async -> Bool {
    await state.wait(in: \.waiting, ifCancelled: false) { $0.isClosed ? false : nil }
  }

  /// Stops the timer and ends all listeners.
  func close() {
    let (waiting, timer) = state.withLock { state in
      state.isClosed = true
      return (state.waiting.takeAll(), state.timer.take())
    }
    timer?.cancel()
    for continuation in waiting { continuation.resume(returning: false) }
  }
}
