import Synchronization
import Waiting

/// The result of one request, and the tasks that wait for it.
final class LoadState: Sendable {
  typealias Updates = AsyncThrowingStream<ImageUpdate, any Error>.Continuation

  private struct State {
    var result: Result<UIImage, any Error>?
    var awaiters = Waiters<UIImage, any Error>()
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
    let awaiters = state.withLock { state -> [Waiters<UIImage, any Error>.Continuation]? in
      guard state.result == nil else { return nil }
      state.result = result
      return state.awaiters.takeAll()
    }
    guard let awaiters else { return }
    for awaiter in awaiters { awaiter.resume(with: result) }
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
    let token = state.withLock { $0.awaiters.makeToken() }
    defer { state.withLock { $0.awaiters.forget(token) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<UIImage, any Error>? = state.withLock { state in
          if let result = state.result { return result }
          return state.awaiters.wait(continuation, as: token) ? nil : .failure(ImageError.cancelled)
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.awaiters.cancel(token) }?.resume(throwing: ImageError.cancelled)
    }
  }
}
