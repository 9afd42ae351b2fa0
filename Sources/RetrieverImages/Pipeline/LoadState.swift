import Synchronization
import Waiting

/// The result of one request, and the tasks that wait for it.
final class LoadState: Sendable {
  typealias Updates = AsyncThrowingStream<ImageUpdate, any Error>.Continuation

  private struct State: Sendable {
    var result: Result<UIImage, any Error>?
    var awaiters = WaitingTasks<Result<UIImage, any Error>>()
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
    let awaiters = state.withLock { state -> [CheckedContinuation<Result<UIImage, any Error>, Never>]? in
      guard state.result == nil else { return nil }
      state.result = result
      return state.awaiters.takeAll()
    }
    guard let awaiters else { return }
    for awaiter in awaiters { awaiter.resume(returning: result) }
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
    try await state.wait(in: \.awaiters, ifCancelled: .failure(ImageError.cancelled)) { $0.result }.get()
  }
}
