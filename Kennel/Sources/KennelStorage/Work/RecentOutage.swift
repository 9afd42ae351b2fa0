import Synchronization

/// Remembers that a server which others wait for did not answer a moment ago. What waits then fails immediately, and does not wait
/// as long itself, one after the other.
package final class RecentOutage: Sendable {
  /// How long others fail immediately.
  package static let pause = Duration.seconds(2)
  /// A failure that took less costs others little, so it is not remembered: the server may be back.
  package static let slowness = Duration.seconds(4)

  private let end = Mutex<ContinuousClock.Instant?>(nil)
  private let now: @Sendable () -> ContinuousClock.Instant

  /// - Parameter now: the current time. Tests have their own.
  package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

  /// Whether the server did not answer a moment ago.
  package var isRecent: Bool {
    let now = now()
    return end.withLock { $0.map { now < $0 } ?? false }
  }

  /// Notes that the server could not be reached.
  ///
  /// - Parameter start: when the attempt began.
  package func note(since start: ContinuousClock.Instant) {
    let now = now()
    guard now - start >= Self.slowness else { return }
    end.withLock { $0 = now + Self.pause }
  }

  /// The current time, for ``note(since:)``.
  package var time: ContinuousClock.Instant { now() }
}
