/// Calls a function repeatedly until it returns a value. The pauses between the attempts do not block a thread.
///
/// ```swift
/// func waitForUpload(_ upload: Upload) async throws -> URL {
///   try await poll(.every(.milliseconds(200), timeLimit: .seconds(60))) { try await upload.location() }
/// }
/// ```
///
/// The first attempt is made immediately. Cancelling the task ends the current pause and all further attempts.
///
/// - Parameters:
///   - schedule: The pauses and limits.
///   - clock: The clock for the pauses. A test can pass a clock that it controls.
///   - isolation: The actor on which the attempts run (default: the caller's actor).
///   - fileID: The file that errors report (default: the caller's file).
///   - line: The line that errors report (default: the caller's line).
///   - attempt: Returns the value, or nil if it is not available yet. An error that it throws ends the polling.
/// - Returns: The first value.
/// - Throws: The error that `attempt` throws; `CancellationError`; ``BridgeError/Code/pollingGaveUp``.
public func poll<Value, Timer: Clock>(
  _ schedule: PollingSchedule = PollingSchedule(), clock: Timer = ContinuousClock(),
  isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, line: Int = #line,
  _ attempt: () async throws -> Value?
) async throws -> Value where Timer.Duration == Duration {
  let start = clock.now
  var machine = PollingStateMachine(schedule: schedule)
  while true {
    try Task.checkCancellation()
    if let value = try await attempt() { return value }
    switch machine.missed(after: start.duration(to: clock.now)) {
    case .pause(let pause):
      try await clock.sleep(for: pause)
    case .giveUp(let attempts):
      throw BridgeError(.pollingGaveUp, at: CallSite(fileID: fileID, line: line), count: attempts)
    }
  }
}

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
