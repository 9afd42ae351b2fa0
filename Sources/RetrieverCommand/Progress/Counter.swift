import Synchronization

/// Counts what several tasks get done.
final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  /// The new count.
  @discardableResult func increment() -> Int64 { count.add(1, ordering: .relaxed).newValue }
}
