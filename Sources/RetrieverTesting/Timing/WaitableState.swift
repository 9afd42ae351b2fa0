import Synchronization
import Waiting

/// A value under a lock, and the tasks that wait until it has some property.
final class WaitableState<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    var value: Value
    /// Each is resumed with whether the value may have changed; false after a cancellation.
    var waiters = WaitingTasks<Bool>()
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
      let isChanged = await contents.wait(in: \.waiters, ifCancelled: false) { contents in
        find(contents.value) == nil ? nil : true
      }
      guard isChanged else { throw CancellationError() }
      if let found = contents.withLock({ find($0.value) }) { return found }
    }
  }
}
