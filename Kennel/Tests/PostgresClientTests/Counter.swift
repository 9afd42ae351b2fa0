import Synchronization

/// A number that several tasks increase.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  /// The current number.
  var value: Int { number.load(ordering: .relaxed) }

  /// Adds one, and returns the new number.
  @discardableResult
  func add() -> Int { number.add(1, ordering: .relaxed).newValue }
}
