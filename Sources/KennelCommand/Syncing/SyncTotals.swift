import KennelCore

/// What came of all the runs of a sync, those that broke off too: a pure value.
struct SyncTotals: Sendable, Hashable {
  private var ended = SyncReport()
  /// Of the run that is under way.
  private var current = SyncProgress()
  /// Whether a run came to its end.
  private(set) var hasFinished = false

  /// How far all of it is.
  var progress: SyncProgress {
    var sum = current
    sum.taken += ended.taken
    sum.bytes += ended.bytes
    return sum
  }

  /// All that came.
  var report: SyncReport {
    var sum = ended
    sum.taken += current.taken
    sum.bytes += current.bytes
    return sum
  }

  /// How far the run under way is; each begins with nothing.
  mutating func advance(_ now: SyncProgress) {
    if now == SyncProgress() { breakOff() }
    current = now
  }

  /// The run under way has ended well.
  mutating func finish(_ report: SyncReport) {
    ended = ended + report
    current = SyncProgress()
    hasFinished = true
  }

  private mutating func breakOff() {
    ended = report
    current = SyncProgress()
  }
}
