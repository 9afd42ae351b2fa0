import Synchronization

/// Counts and reports the progress of a sync. Only one task at a time updates it.
final class SyncProgressReporter: Sendable {
  private let state = Mutex(SyncProgress())
  private let progress: @Sendable (SyncProgress) -> Void
  let retrying: @Sendable (SyncRetry) -> Void
  let replaced: @Sendable () -> Void

  init(
    progress: @escaping @Sendable (SyncProgress) -> Void, retrying: @escaping @Sendable (SyncRetry) -> Void,
    replaced: @escaping @Sendable () -> Void
  ) {
    self.progress = progress
    self.retrying = retrying
    self.replaced = replaced
  }

  var now: SyncProgress { state.withLock { $0 } }

  func update(_ change: (inout SyncProgress) -> Void) {
    progress(
      state.withLock { state in
        change(&state)
        return state
      })
  }
}
