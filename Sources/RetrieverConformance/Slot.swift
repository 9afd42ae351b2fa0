import Synchronization

/// A value that one task stores for another.
final class Slot<Value: Sendable>: Sendable {
  private let stored: Mutex<Value?>

  init(_ value: Value? = nil) { stored = Mutex(value) }

  var value: Value? {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }

  func change(_ change: (inout Value?) -> Void) {
    stored.withLock { change(&$0) }
  }
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let stored = Mutex(0)

  var value: Int { stored.withLock { $0 } }

  @discardableResult
  func increment() -> Int {
    stored.withLock { count in
      count += 1
      return count
    }
  }
}
