/// Decides whether polling for a response costs less than sleeping and being woken up. This is true if a client's
/// servers are on this machine or close to it. It has no side effects: times in, one decision out.
///
/// A wake-up takes about as long as a server on this machine takes to respond. There are two: one for the loop, and one
/// for the thread that continues with the response. Polling for a moment saves both. If responses take longer, the
/// answer is no. After one failed poll, several quick responses are needed before the next attempt.
struct ResponsePace {
  /// The maximum time that a thread polls for the response. A local server needs about 60 µs with TLS.
  static let maximumPollTime = Duration.microseconds(100)
  /// A response within this time, which includes the wake-ups, would have been found by polling.
  private static let quickResponse = Duration.microseconds(160).clampedNanoseconds
  private static let maximumScore = 16
  private static let requiredScore = 4

  private var score = 0

  var isQuick: Bool { score >= Self.requiredScore }

  mutating func recordResponse(afterNanoseconds elapsed: Int64) {
    if elapsed <= Self.quickResponse {
      score = min(score + 1, Self.maximumScore)
    } else {
      // If a thread has polled for it, the processors are busy with other work.
      score = isQuick ? -Self.maximumScore : min(score, 0)
    }
  }

  mutating func pollFailed() { score = -Self.maximumScore }
}
