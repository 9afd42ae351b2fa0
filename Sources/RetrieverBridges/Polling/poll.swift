/// Asks again and again until a value is there, with pauses that hold no thread.
///
/// ```swift
/// func waitForUpload(_ upload: Upload) async throws -> URL {
///   try await poll(.every(.milliseconds(200), timeLimit: .seconds(60))) { try await upload.location() }
/// }
/// ```
///
/// The first attempt is made at once. Cancelling the task ends the pause, and no attempt follows.
///
/// - Parameters:
///   - schedule: The pauses, and when to give up.
///   - clock: What time is told by; a test gives one that it moves itself.
///   - isolation: The actor that the attempts run on: the caller's.
///   - fileID: The file that errors name: the caller's.
///   - line: The line that errors name: the caller's.
///   - attempt: Gives the value, or nil when it is not there yet. What it throws ends the polling.
/// - Returns: The first value.
/// - Throws: What `attempt` threw; `CancellationError`; ``BridgeError/Code/pollingGaveUp``.
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
