import Synchronization

/// The result of one request, and the tasks that wait for it.
final class LoadState: Sendable {
  typealias Updates = AsyncThrowingStream<ImageUpdate, any Error>.Continuation

  private enum Awaiter {
    case waiting(CheckedContinuation<UIImage, any Error>)
    /// Cancelled before it began to wait.
    case cancelled
  }

  private struct State {
    var result: Result<UIImage, any Error>?
    var awaiters: [Int: Awaiter] = [:]
    var lastToken = 0
    var priority: WorkPriority
    /// The identifier that the pipeline sets under its lock.
    var waiter: WaiterID?
  }

  let isPrefetch: Bool
  private let updates: Updates?
  private let state: Mutex<State>

  init(priority: WorkPriority, isPrefetch: Bool = false, updates: Updates? = nil) {
    self.isPrefetch = isPrefetch
    self.updates = updates
    state = Mutex(State(priority: priority))
  }

  var wantsUpdates: Bool { updates != nil }
  var isFinished: Bool { state.withLock { $0.result != nil } }

  var priority: WorkPriority {
    get { state.withLock { $0.priority } }
    set { state.withLock { $0.priority = newValue } }
  }

  var urgency: Urgency { Urgency(priority, isPrefetch: isPrefetch) }

  var waiter: WaiterID? {
    get { state.withLock { $0.waiter } }
    set { state.withLock { $0.waiter = newValue } }
  }

  func receive(_ update: ImageUpdate) { updates?.yield(update) }

  /// Ends the load. Only the first result counts.
  func finish(_ result: Result<UIImage, any Error>) {
    let awaiters = state.withLock { state -> [Awaiter]? in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.awaiters = [:] }
      return Array(state.awaiters.values)
    }
    guard let awaiters else { return }
    for case .waiting(let continuation) in awaiters { continuation.resume(with: result) }
    switch result {
    case .success(let image):
      updates?.yield(.image(image))
      updates?.finish()
    case .failure(let error):
      updates?.finish(throwing: error)
    }
  }

  /// Waits for the result. If the task is cancelled, it stops waiting; the load continues.
  func value() async throws -> UIImage {
    let token = state.withLock { state in
      state.lastToken += 1
      return state.lastToken
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<UIImage, any Error>? = state.withLock { state in
          let awaiter = state.awaiters.removeValue(forKey: token)
          if let result = state.result { return result }
          if awaiter != nil { return .failure(ImageError.cancelled) }
          state.awaiters[token] = .waiting(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let awaiter: Awaiter? = state.withLock { state in
        guard state.result == nil else { return nil }
        if let awaiter = state.awaiters.removeValue(forKey: token) { return awaiter }
        state.awaiters[token] = .cancelled
        return nil
      }
      if case .waiting(let continuation) = awaiter { continuation.resume(throwing: ImageError.cancelled) }
    }
  }
}
