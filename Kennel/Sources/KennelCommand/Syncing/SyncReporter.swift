import KennelPeers
import Synchronization
import TerminalProgram

/// Reports the progress of a sync on standard error: with a progress line on a terminal, otherwise with occasional
/// messages.
final class SyncReporter: Sendable {
  private struct State: Sendable {
    var messages = SyncMessages()
    var totals = SyncTotals()
  }

  private let name: String
  private let screen: Screen
  private let progress: ProgressDisplay.Handle
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(_ name: String, _ context: CommandContext) {
    self.name = name
    screen = context.screen
    progress = context.progress.begin(name)
  }

  func advance(_ now: SyncProgress) {
    let moment = ContinuousClock.now - start
    let (sum, note) = state.withLock { state in
      state.totals.advance(now)
      let sum = state.totals.progress
      return (sum, screen.showsProgress ? nil : state.messages.progress(sum, at: moment))
    }
    progress.advance(to: Int64(sum.bytes))
    if let note { say(note) }
  }

  func retry(_ retry: SyncRetry) {
    if let note = state.withLock({ $0.messages.retry(retry) }) { say(note) }
  }

  func replaced() {
    screen.warn(
      "kennel: \(name): A different kennel is now at this address. Its posts are copied too.")
  }

  /// Returns whether to print a report: the first one, and each one with new or refused posts.
  func finished(_ report: SyncReport) -> Bool {
    let (isFirst, note) = state.withLock { state in
      defer { state.totals.finish(report) }
      return (!state.totals.hasFinished, state.messages.recordSuccess())
    }
    if let note { say(note) }
    return isFirst || report.taken > 0 || report.refusedCount > 0
  }

  func end() { progress.end() }

  /// Prints the total of everything that was copied while following.
  func reportTotal() {
    let total = state.withLock {
      $0.totals.hasFinished || $0.totals.report.taken > 0 ? $0.totals.report : nil
    }
    let time = ByteText.time((ContinuousClock.now - start).inSeconds)
    if let total { say("Followed for \(time): \(total.summary).") }
  }

  private func say(_ note: String) { screen.say("kennel: \(name): \(note)") }
}
