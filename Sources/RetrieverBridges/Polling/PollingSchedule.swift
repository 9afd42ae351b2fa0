/// How often something is asked for, and when to give up.
public struct PollingSchedule: Sendable, Hashable {
  /// The pause after the first attempt.
  public var firstPause: Duration
  /// What each pause is to the one before: 1 for even pauses, more to back off. Below 1 counts as 1.
  public var factor: Double
  /// The longest pause.
  public var longestPause: Duration
  /// How many attempts are made at most; nil for no limit.
  public var maximumAttempts: Int?
  /// How much time the pauses may take in all, attempts included; nil for no limit. The last pause is
  /// shortened to it.
  public var timeLimit: Duration?

  /// A schedule; without arguments, from 10 ms to 1 s, twice as long each time, for as long as it takes.
  public init(
    firstPause: Duration = .milliseconds(10), factor: Double = 2, longestPause: Duration = .seconds(1),
    maximumAttempts: Int? = nil, timeLimit: Duration? = nil
  ) {
    self.firstPause = firstPause
    self.factor = factor
    self.longestPause = longestPause
    self.maximumAttempts = maximumAttempts
    self.timeLimit = timeLimit
  }

  /// Even pauses.
  public static func every(
    _ pause: Duration, maximumAttempts: Int? = nil, timeLimit: Duration? = nil
  ) -> PollingSchedule {
    PollingSchedule(
      firstPause: pause, factor: 1, longestPause: pause, maximumAttempts: maximumAttempts,
      timeLimit: timeLimit)
  }
}
