import KennelStorage
import Synchronization

/// The progress of a sync.
package struct SyncProgress: Sendable, Hashable {
  /// The number of the peer's posts that were checked.
  package var seen = 0
  /// The number of posts that are new here.
  package var taken = 0
  /// The number of photo bytes that were received.
  package var bytes = 0

  package init() {}
}

/// A planned retry.
package struct SyncRetry: Sendable {
  /// The error that caused it.
  package var error: KennelError
  /// The time until the retry.
  package var pause: Duration
}

/// The result of a sync.
package struct SyncReport: Sendable, Hashable {
  /// A post that was refused and will not be requested again.
  package struct Refusal: Sendable, Hashable {
    /// The id of the post at the peer.
    package var id: Int64
    /// The reason as a sentence.
    package var reason: String
  }

  /// The number of posts that are new here.
  package var taken = 0
  /// The number of posts that were taken before.
  package var known = 0
  package var refusedCount = 0
  /// The first hundred refusals.
  package var refusals: [Refusal] = []
  /// The number of photo bytes that were received.
  package var bytes = 0
  /// Whether the run stopped at a limit. The next run resumes there.
  package var isLimited = false

  package init() {}

  mutating func refuse(_ id: Int64, _ reason: String) {
    refusedCount += 1
    if refusals.count < 100 { refusals.append(Refusal(id: id, reason: reason)) }
  }
}

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
