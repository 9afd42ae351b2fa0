import KennelCore
import Synchronization
import TerminalProgram

/// Tells on standard error how a sync goes: at a terminal by a line that moves, elsewhere by a note now and then.
final class SyncTelling: Sendable {
  private struct State: Sendable {
    var notes = SyncNotes()
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
      return (sum, screen.showsProgress ? nil : state.notes.progress(sum, at: moment))
    }
    progress.advance(to: Int64(sum.bytes))
    if let note { say(note) }
  }

  func retry(_ retry: SyncRetry) {
    if let note = state.withLock({ $0.notes.retry(retry) }) { say(note) }
  }

  func replaced() {
    screen.warn(
      "kennel: \(name): another kennel is at this address than before: what is not here of it is taken")
  }

  /// Whether it is worth telling: the first one is, and each with something new.
  func finished(_ report: SyncReport) -> Bool {
    let (isFirst, note) = state.withLock { state in
      defer { state.totals.finish(report) }
      return (!state.totals.hasFinished, state.notes.worked())
    }
    if let note { say(note) }
    return isFirst || report.taken > 0 || report.refusedCount > 0
  }

  func end() { progress.end() }

  /// All that came while it was followed.
  func tellTotal() {
    let total = state.withLock {
      $0.totals.hasFinished || $0.totals.report.taken > 0 ? $0.totals.report : nil
    }
    let time = ByteText.time((ContinuousClock.now - start).inSeconds)
    if let total { say("followed for \(time): \(total.summary)") }
  }

  private func say(_ note: String) { screen.say("kennel: \(name): \(note)") }
}
