/// How long to wait before another try: a pure value.
struct PeerPatience: Sendable, Hashable {
  /// The pause after the first failure; twice as long after each more, unless something was had in between.
  var firstPause = Duration.seconds(1)
  var longestPause = Duration.seconds(60)
  /// The longest pause that a peer may ask for.
  var longestWish = Duration.seconds(86_400)
  /// How many failures in a row, without anything had in between, are one too many.
  var limit = 6
  /// How many failures are one too many, whatever was had in between.
  var totalLimit = 500
  /// How often nobody may be there before anybody ever was: most likely the address is wrong.
  var absenceLimit = 2
  /// Whether there is somebody at the address.
  private(set) var hasAnswered: Bool
  private var inRow = 0
  private var total = 0

  /// Another failure; nil when it is one too many.
  mutating func pause(after failure: PeerFailure, hadProgress: Bool) -> Duration? {
    switch failure {
    case .lasting, .missing: return nil
    case .absent: if hadProgress { hasAnswered = true }
    case .passing: hasAnswered = true
    }
    inRow = hadProgress ? 1 : inRow + 1
    total += 1
    guard inRow < (hasAnswered ? limit : min(limit, absenceLimit)), total < totalLimit else { return nil }
    var pause = firstPause
    for _ in 1..<inRow where pause < longestPause { pause = pause * 2 }
    pause = min(pause, longestPause)
    guard let retryAfter = failure.retryAfter else { return pause }
    return retryAfter <= .seconds(300) ? max(pause, retryAfter) : nil
  }

  /// The pause before a link that broke is made again; nil where nobody ever was. It grows with each link that breaks
  /// soon, though it did some work.
  ///
  /// - Parameter worked: how long the link lasted, if it brought anything.
  mutating func pause(afterLink failure: PeerFailure, worked: Duration?) -> Duration? {
    if let worked {
      if worked >= longestPause { reset() }
      hasAnswered = true
    }
    if let pause = pause(after: failure, hadProgress: false) { return pause }
    guard hasAnswered, failure.mayPass else { return nil }
    // Never at its end once somebody was there.
    return max(longestPause, min(failure.retryAfter ?? .zero, longestWish))
  }

  /// All is well.
  mutating func reset() { (inRow, total, hasAnswered) = (0, 0, true) }

  init(firstPause: Duration = .seconds(1), limit: Int = 6, hasAnswered: Bool = true) {
    self.firstPause = firstPause
    self.limit = limit
    self.hasAnswered = hasAnswered
  }
}
