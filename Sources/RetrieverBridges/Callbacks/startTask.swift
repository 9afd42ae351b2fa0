import Dispatch

/// Runs async code and calls a completion handler with its result.
///
/// ```swift
/// @discardableResult
/// func loadName(completion: @escaping @Sendable (Result<String, any Error>) -> Void) -> CancelHandle {
///   startTask(operation: { try await fetchName() }, completion: completion)
/// }
/// ```
///
/// - Parameters:
///   - priority: The priority of the task (default: the caller's priority).
///   - queue: The queue on which the handler is called. Without a queue, the handler is called on a thread that tasks
///     share, and must not block.
///   - operation: The async code to run. It is cancelled like any task.
///   - completion: The handler. It is called exactly once, when the operation has ended, even after a cancellation.
///     It is not called by the thread that calls this function, and may be called before this function returns.
/// - Returns: A handle that cancels the operation.
@discardableResult
public func startTask<Value: Sendable>(
  priority: TaskPriority? = nil, callbackOn queue: DispatchQueue? = nil,
  operation: @escaping @Sendable () async throws -> Value,
  completion: @escaping @Sendable (Result<Value, any Error>) -> Void
) -> CancelHandle {
  let task = Task.detached(priority: priority ?? Task.currentPriority) {
    let result: Result<Value, any Error>
    do {
      result = .success(try await operation())
    } catch {
      result = .failure(error)
    }
    if let queue { queue.async { completion(result) } } else { completion(result) }
  }
  return CancelHandle(task: task)
}

/// Runs async code and calls a completion handler with either a value or an error.
@discardableResult
public func startTask<Value: Sendable>(
  priority: TaskPriority? = nil, callbackOn queue: DispatchQueue? = nil,
  operation: @escaping @Sendable () async throws -> Value,
  completion: @escaping @Sendable (Value?, (any Error)?) -> Void
) -> CancelHandle {
  startTask(priority: priority, callbackOn: queue, operation: operation) {
    (result: Result<Value, any Error>) in
    switch result {
    case .success(let value): completion(value, nil)
    case .failure(let error): completion(nil, error)
    }
  }
}

/// A handle that cancels work started from code without async.
///
/// Releasing the handle does not cancel the work. The handle is thread-safe.
public struct CancelHandle: Sendable {
  private let task: Task<Void, Never>

  init(task: Task<Void, Never>) {
    self.task = task
  }

  /// Asks the work to stop. The completion handler is still called when the work has ended.
  public func cancel() { task.cancel() }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }
}
