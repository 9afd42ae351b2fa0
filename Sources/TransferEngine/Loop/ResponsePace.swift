/// Decides whether polling for a response costs less than sleeping and being woken up. This is true if a client's
/// servers are on this machine or close to it. It has no side effects: times in, one decision out.
///
/// There are two wake-ups: one for the loop, and one for the thread that continues with the response. Polling for a moment
/// saves both. A wake-up takes 10 µs on one machine and 100 µs on another, such as a virtual machine whose host is
/// busy. So polling is tried after some quick responses, and goes on if responses then take a fifth less time. After
/// each attempt that failed, more quick responses are needed before the next one.
struct ResponsePace {
  /// The maximum time that a thread polls for the response. A local server needs about 60 µs with TLS, and its own
  /// wake-up.
  static let maximumPollTime = Duration.microseconds(300)
  /// A response within this time, which includes the wake-ups, may have been found by polling.
  private static let quickResponse = Duration.microseconds(400).clampedNanoseconds
  private static let requiredScore = 16
  private static let leastPause = 16
  private static let longestPause = 4_096
  /// The number of responses after which the mean times are compared.
  private static let trialLength = 16
  /// The number of responses after which the time without polling is measured again.
  private static let attemptLength = 4_096

  /// The number of quick responses before polling; negative after a failed attempt.
  private var score = 0
  /// The number of quick responses that the next failed attempt costs.
  private var pause = Self.leastPause
  /// The responses that this attempt has polled for.
  private var polledCount = 0
  private var whileAsleep = MeanTime()
  private var whilePolling = MeanTime()

  var isQuick: Bool { score >= Self.requiredScore }

  mutating func recordResponse(afterNanoseconds elapsed: Int64) {
    guard elapsed <= Self.quickResponse else {
      // If a thread has polled for it, the processors are busy with other work.
      if isQuick { pollFailed() } else { score = min(score, 0) }
      return
    }
    guard isQuick else {
      whileAsleep.add(elapsed)
      score += 1
      return
    }
    whilePolling.add(elapsed)
    polledCount += 1
    pause = max(pause - 1, Self.leastPause)
    if polledCount >= Self.trialLength, whilePolling.nanoseconds > whileAsleep.nanoseconds / 5 * 4 {
      pollFailed()
    } else if polledCount >= Self.attemptLength {
      startOver(score: 0)
    }
  }

  mutating func pollFailed() {
    startOver(score: -pause)
    pause = min(2 * pause, Self.longestPause)
  }

  private mutating func startOver(score: Int) {
    self.score = score
    polledCount = 0
    whileAsleep = MeanTime()
    whilePolling = MeanTime()
  }
}

/// A mean that follows changes: the latest sixteen times have the most weight.
private struct MeanTime {
  private(set) var nanoseconds: Int64 = 0

  mutating func add(_ time: Int64) {
    nanoseconds = nanoseconds == 0 ? time : nanoseconds + (time - nanoseconds) / 16
  }
}
