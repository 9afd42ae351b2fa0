import KennelPeers

/// The totals of all runs of a sync, including interrupted runs. A pure value.
struct SyncTotals: Sendable, Hashable {
  private var ended = SyncReport()
  /// The progress of the current run.
  private var current = SyncProgress()
  /// Whether a run has finished.
  private(set) var hasFinished = false

  /// The progress of all runs together.
  var progress: SyncProgress {
    var sum = current
    sum.taken += ended.taken
    sum.bytes += ended.bytes
    return sum
  }

  /// The report of all runs together.
  var report: SyncReport {
    var sum = ended
    sum.taken += current.taken
    sum.bytes += current.bytes
    return sum
  }

  /// Updates the progress of the current run. Empty progress starts a new run.
  mutating func advance(_ now: SyncProgress) {
    if now == SyncProgress() { breakOff() }
    current = now
  }

  /// Records that the current run has finished.
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
