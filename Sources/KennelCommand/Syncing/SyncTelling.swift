import KennelCore
import Synchronization
import TerminalProgram

/// Tells on standard error how a sync goes: at a terminal by a line that moves, elsewhere by a note now and then.
final class SyncTelling: Sendable {
  private struct State: Sendable {
    var notes = SyncNotes()
    var total = SyncReport()
    var hasFinished = false
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
    let (bytes, note) = state.withLock { state in
      (state.total.bytes + now.bytes, screen.showsProgress ? nil : state.notes.progress(now, at: moment))
    }
    progress.advance(to: Int64(bytes))
    if let note { say(note) }
  }

  func retry(_ retry: SyncRetry) {
    if let note = state.withLock({ $0.notes.retry(retry) }) { say(note) }
  }

  /// Whether it is worth telling: the first one is, and each with something new.
  func finished(_ report: SyncReport) -> Bool {
    let (isFirst, note) = state.withLock { state in
      defer { state.hasFinished = true }
      state.total = state.total + report
      return (!state.hasFinished, state.notes.worked())
    }
    if let note { say(note) }
    return isFirst || report.taken > 0 || report.refusedCount > 0
  }

  func end() { progress.end() }

  /// All that came while it was followed.
  func tellTotal() {
    let total = state.withLock { $0.hasFinished ? $0.total : nil }
    let time = ByteText.time((ContinuousClock.now - start).inSeconds)
    if let total { say("followed for \(time): \(total.summary)") }
  }

  private func say(_ note: String) { screen.say("kennel: \(name): \(note)") }
}
