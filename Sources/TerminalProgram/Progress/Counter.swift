import Synchronization

/// Counts what several tasks get done.
package final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  package init() {}

  /// The new count.
  @discardableResult package func increment() -> Int64 { count.add(1, ordering: .relaxed).newValue }
}
