import Dispatch

/// Gives async code the face of a function with a completion handler.
///
/// ```swift
/// @discardableResult
/// func loadName(completion: @escaping @Sendable (Result<String, any Error>) -> Void) -> CancelHandle {
///   startTask(operation: { try await fetchName() }, completion: completion)
/// }
/// ```
///
/// - Parameters:
///   - priority: The priority of the task; the caller's by default.
///   - queue: Where the handler is called; without one, on a thread of the pool that tasks share, where it
///     must not block.
///   - operation: What is to be done. It hears of a cancellation as any task does.
///   - completion: Is called exactly once, when the operation has ended, also after a cancellation; never
///     from within this call.
/// - Returns: The means to cancel.
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

/// The same for a completion handler that takes a value or an error: exactly one of them is there.
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
