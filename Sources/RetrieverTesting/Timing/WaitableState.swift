import Synchronization
import Waiting

/// A value under a lock, and the tasks that wait until it has some property.
final class WaitableState<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    var value: Value
    var waiters = Waiters<Bool, Never>()
  }

  private let contents: Mutex<Contents>

  init(_ value: Value) { contents = Mutex(Contents(value: value)) }

  /// Reads the value.
  func read<Result: Sendable>(_ body: (Value) -> Result) -> Result { contents.withLock { body($0.value) } }

  /// Changes the value, and lets the waiting tasks look at it again.
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let (result, waiters) = contents.withLock { contents in
      let result = body(&contents.value)
      return (result, contents.waiters.takeAll())
    }
    for waiter in waiters { waiter.resume(returning: true) }
    return result
  }

  /// Waits until a closure finds a result in the value.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  @discardableResult func wait<Result: Sendable>(for find: @Sendable (Value) -> Result?) async throws
    -> Result
  {
    while true {
      let (found, token) = contents.withLock { contents in
        let found = find(contents.value)
        return (found, found == nil ? contents.waiters.makeToken() : nil)
      }
      if let found { return found }
      guard let token else { throw CancellationError() }
      let isChanged = await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
          let outcome: Bool? = contents.withLock { contents in
            // The value may have changed since the first look.
            if find(contents.value) != nil { return true }
            return contents.waiters.wait(continuation, as: token) ? nil : false
          }
          if let outcome { continuation.resume(returning: outcome) }
        }
      } onCancel: {
        contents.withLock { $0.waiters.cancel(token) }?.resume(returning: false)
      }
      contents.withLock { $0.waiters.forget(token) }
      if !isChanged { throw CancellationError() }
    }
  }
}
