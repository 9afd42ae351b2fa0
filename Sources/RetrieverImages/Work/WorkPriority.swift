/// How much sooner than others a piece of work shall be done.
public struct WorkPriority: Sendable, Hashable, Comparable, CaseIterable {
  private let rank: Int8

  private init(_ rank: Int8) { self.rank = rank }

  /// Work ahead of time: only when nothing else waits.
  public static let veryLow = WorkPriority(-2)
  /// Work that can wait.
  public static let low = WorkPriority(-1)
  /// What is not said to be anything else.
  public static let normal = WorkPriority(0)
  /// Work for what can be seen.
  public static let high = WorkPriority(1)
  /// Work that somebody waits for.
  public static let veryHigh = WorkPriority(2)

  /// All of them, the most important first.
  public static let allCases: [WorkPriority] = [.veryHigh, .high, .normal, .low, .veryLow]

  /// Whether one piece of work comes after another.
  public static func < (left: WorkPriority, right: WorkPriority) -> Bool { left.rank < right.rank }
}
