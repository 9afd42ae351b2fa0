import Synchronization

/// Counts, and tells of it; pieces of a photo and posts are told of by one task after the other.
final class SyncTeller: Sendable {
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
