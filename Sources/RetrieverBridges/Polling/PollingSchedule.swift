/// The pauses between polling attempts, and the limits after which polling gives up.
public struct PollingSchedule: Sendable, Hashable {
  /// The pause after the first attempt.
  public var firstPause: Duration
  /// The factor by which each pause grows: 1 for constant pauses, more for a backoff. A value below 1 counts as 1.
  public var factor: Double
  /// The maximum pause.
  public var longestPause: Duration
  /// The maximum number of attempts; nil for no limit.
  public var maximumAttempts: Int?
  /// The maximum total time of attempts and pauses; nil for no limit. The last pause is shortened to end at the
  /// limit.
  public var timeLimit: Duration?

  /// Creates a schedule. By default, pauses grow from 10 ms to 1 s by a factor of 2, without limits.
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

  /// Creates a schedule with constant pauses.
  public static func every(
    _ pause: Duration, maximumAttempts: Int? = nil, timeLimit: Duration? = nil
  ) -> PollingSchedule {
    PollingSchedule(
      firstPause: pause, factor: 1, longestPause: pause, maximumAttempts: maximumAttempts,
      timeLimit: timeLimit)
  }
}
