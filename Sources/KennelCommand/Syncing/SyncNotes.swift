import KennelCore
import TerminalProgram

/// What is said while a sync goes on, and when: a pure value.
struct SyncNotes: Sendable {
  /// How often it is said how far it is, where no progress is shown.
  static let interval = Duration.seconds(10)

  private struct Trouble: Sendable, Equatable {
    var reason: String
    var pause: Duration
  }

  private var lastTold = Duration.zero
  private var trouble: Trouble?
  private var isRepeating = false

  /// How far it is; nil when that was said a moment ago.
  mutating func progress(_ now: SyncProgress, at moment: Duration) -> String? {
    guard moment - lastTold >= Self.interval else { return nil }
    lastTold = moment
    let posts = now.taken == 1 ? "1 new post" : "\(now.taken) new posts"
    return "\(posts) so far, \(ByteText.short(Int64(now.bytes)))"
  }

  /// Why it tries again, and when; nil when that was said, as for a kennel that is away for days.
  mutating func retry(_ retry: SyncRetry) -> String? {
    let trouble = Trouble(reason: Failure(retry.error).message, pause: retry.pause)
    let isSame = trouble == self.trouble
    if isSame, isRepeating { return nil }
    (self.trouble, isRepeating) = (trouble, isSame)
    let pause = Int(retry.pause.inSeconds.rounded(.up))
    return "\(trouble.reason); trying again \(isSame ? "every" : "in") \(pause) s"
  }

  /// It went well; the answer is what there is to say after trouble.
  mutating func worked() -> String? {
    defer { (trouble, isRepeating) = (nil, false) }
    return trouble == nil ? nil : "the other kennel answers again"
  }
}
