/// The state machine of polling. It decides how long to pause after an unsuccessful attempt and when to give up. It
/// does not use a clock.
struct PollingStateMachine {
  enum Action: Equatable {
    case pause(Duration)
    case giveUp(attempts: Int)
  }

  private let schedule: PollingSchedule
  private var nextPause: Duration
  private var attempts = 0

  init(schedule: PollingSchedule) {
    self.schedule = schedule
    nextPause = min(max(schedule.firstPause, .zero), schedule.longestPause)
  }

  /// Handles an attempt without a value. `elapsed` is the time since the first attempt began.
  mutating func missed(after elapsed: Duration) -> Action {
    attempts += 1
    if let maximum = schedule.maximumAttempts, attempts >= maximum { return .giveUp(attempts: attempts) }
    var pause = nextPause
    if let limit = schedule.timeLimit {
      guard elapsed < limit else { return .giveUp(attempts: attempts) }
      pause = min(pause, limit - elapsed)
    }
    lengthen()
    return .pause(pause)
  }

  /// Compares before it multiplies, so that the duration cannot overflow.
  private mutating func lengthen() {
    let factor = max(schedule.factor, 1)
    guard nextPause > .zero, factor < schedule.longestPause / nextPause else {
      if nextPause > .zero { nextPause = schedule.longestPause }
      return
    }
    nextPause = min(nextPause * factor, schedule.longestPause)
  }
}
