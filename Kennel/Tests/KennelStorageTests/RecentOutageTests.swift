import Synchronization
import Testing

@testable import KennelStorage

@Suite struct RecentOutageTests {
  private final class Time: Sendable {
    private let start = ContinuousClock.now
    private let passed = Mutex(Duration.zero)
    var now: ContinuousClock.Instant { passed.withLock { start + $0 } }
    func advance(_ duration: Duration) { passed.withLock { $0 += duration } }
  }

  @Test func `after a failure that took long, others fail for a moment`() {
    let time = Time()
    let outage = RecentOutage { time.now }
    #expect(!outage.isRecent)
    let start = outage.time
    time.advance(.seconds(15))
    outage.note(since: start)
    #expect(outage.isRecent)
    time.advance(RecentOutage.pause - .milliseconds(1))
    #expect(outage.isRecent)
    time.advance(.milliseconds(1))
    #expect(!outage.isRecent)
  }

  @Test func `a failure that took a moment makes nobody else fail`() {
    let time = Time()
    let outage = RecentOutage { time.now }
    let start = outage.time
    time.advance(.seconds(1))
    outage.note(since: start)
    #expect(!outage.isRecent)
  }
}
