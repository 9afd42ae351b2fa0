import Synchronization

/// A thread-safe counter.
public final class Counter: Sendable {
  private let count = Atomic<Int64>(0)

  /// Creates a counter that starts at 0.
  public init() {}

  /// Adds one and returns the new count.
  @discardableResult public func increment() -> Int64 { count.add(1, ordering: .relaxed).newValue }
}
