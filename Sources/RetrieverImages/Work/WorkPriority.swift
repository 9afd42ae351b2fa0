/// The priority of a piece of work.
public struct WorkPriority: Sendable, Hashable, Comparable, CaseIterable {
  private let rank: Int8

  private init(_ rank: Int8) { self.rank = rank }

  /// Work for later, which runs only when no other work waits.
  public static let veryLow = WorkPriority(-2)
  /// Work that can wait.
  public static let low = WorkPriority(-1)
  /// The default priority.
  public static let normal = WorkPriority(0)
  /// Work for something visible.
  public static let high = WorkPriority(1)
  /// Work that a person waits for.
  public static let veryHigh = WorkPriority(2)

  /// All priorities, the highest first.
  public static let allCases: [WorkPriority] = [.veryHigh, .high, .normal, .low, .veryLow]

  /// Returns whether one priority is lower than another.
  public static func < (left: WorkPriority, right: WorkPriority) -> Bool { left.rank < right.rank }
}
