import KennelPeers
import TerminalProgram

/// Decides which messages a sync prints, and when. A pure value.
struct SyncMessages: Sendable {
  /// The interval between progress messages if no progress display is shown.
  static let interval = Duration.seconds(10)

  private struct ReportedFailure: Sendable, Equatable {
    var reason: String
    var pause: Duration
  }

  private var lastReported = Duration.zero
  private var lastFailure: ReportedFailure?
  private var isRepeating = false

  /// Returns a progress message; nil if the last one was printed less than ``interval`` ago.
  mutating func progress(_ now: SyncProgress, at moment: Duration) -> String? {
    guard moment - lastReported >= Self.interval else { return nil }
    lastReported = moment
    let posts = now.taken == 1 ? "1 new post" : "\(now.taken) new posts"
    return "Copied \(posts) so far, \(ByteText.short(Int64(now.bytes)))."
  }

  /// Returns why and when the sync tries again; nil if the same message was already printed repeatedly.
  mutating func retry(_ retry: SyncRetry) -> String? {
    let failure = ReportedFailure(reason: Failure(retry.error).message, pause: retry.pause)
    let isSame = failure == lastFailure
    if isSame, isRepeating { return nil }
    (lastFailure, isRepeating) = (failure, isSame)
    let pause = Int(retry.pause.inSeconds.rounded(.up))
    return "\(failure.reason) Trying again \(isSame ? "every" : "in") \(pause) s."
  }

  /// Records a success. Returns a message if there was a failure before.
  mutating func recordSuccess() -> String? {
    defer { (lastFailure, isRepeating) = (nil, false) }
    return lastFailure == nil ? nil : "The other kennel answers again."
  }
}
