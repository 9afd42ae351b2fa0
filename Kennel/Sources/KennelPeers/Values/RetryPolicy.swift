/// The delay before another attempt. A pure value.
struct RetryPolicy: Sendable, Hashable {
  /// The pause after the first failure. It doubles with each further failure, unless there was progress in between.
  var firstPause = Duration.seconds(1)
  var maximumPause = Duration.seconds(60)
  /// The maximum pause that a peer may ask for.
  var maximumRetryAfter = Duration.seconds(86_400)
  /// The number of consecutive failures without progress at which to give up.
  var limit = 6
  /// The total number of failures at which to give up, even with progress in between.
  var totalLimit = 500
  /// The number of failures at which to give up if the server never answered. Most likely, the address is wrong.
  var unansweredLimit = 2
  /// Whether the server has answered before.
  private(set) var hasAnswered: Bool
  private var consecutive = 0
  private var total = 0

  /// Returns the pause after a failure, or nil to give up.
  mutating func pause(after failure: PeerFailure, hadProgress: Bool) -> Duration? {
    switch failure {
    case .permanent, .missing: return nil
    case .unreachable: if hadProgress { hasAnswered = true }
    case .temporary: hasAnswered = true
    }
    consecutive = hadProgress ? 1 : consecutive + 1
    total += 1
    guard consecutive < (hasAnswered ? limit : min(limit, unansweredLimit)), total < totalLimit else {
      return nil
    }
    var pause = firstPause
    for _ in 1..<consecutive where pause < maximumPause { pause = pause * 2 }
    pause = min(pause, maximumPause)
    guard let retryAfter = failure.retryAfter else { return pause }
    return retryAfter <= .seconds(300) ? max(pause, retryAfter) : nil
  }

  /// Returns the pause before a broken link is opened again, or nil if the server never answered. The pause grows with
  /// each link that breaks soon, even if it delivered something.
  ///
  /// - Parameter worked: how long the link lasted, or nil if it delivered nothing.
  mutating func pause(afterLink failure: PeerFailure, worked: Duration?) -> Duration? {
    if let worked {
      if worked >= maximumPause { reset() }
      hasAnswered = true
    }
    if let pause = pause(after: failure, hadProgress: false) { return pause }
    guard hasAnswered, failure.isRetryable else { return nil }
    // Never give up once the server has answered.
    return max(maximumPause, min(failure.retryAfter ?? .zero, maximumRetryAfter))
  }

  /// Resets the failure counts.
  mutating func reset() { (consecutive, total, hasAnswered) = (0, 0, true) }

  init(firstPause: Duration = .seconds(1), limit: Int = 6, hasAnswered: Bool = true) {
    self.firstPause = firstPause
    self.limit = limit
    self.hasAnswered = hasAnswered
  }
}
