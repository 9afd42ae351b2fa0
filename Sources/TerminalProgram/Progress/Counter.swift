import Synchronization

/// A thread-safe counter.
package final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  package init() {}

  /// Adds one and returns the new count.
  @discardableResult package func increment() -> Int64 { count.add(1, ordering: .relaxed).newValue }
}
