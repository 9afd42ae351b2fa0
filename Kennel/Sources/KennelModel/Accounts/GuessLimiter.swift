import KennelStorage
import Synchronization

/// Limits how often a client may try tokens that do not exist, such as those of secret links.
package final class GuessLimiter: Sendable {
  private let table: Mutex<AllowanceTable<String>>
  private let clock: KennelClock

  package convenience init(clock: KennelClock) {
    self.init(AttemptAllowance(burst: 20, refill: .seconds(10)), capacity: 10_000, clock: clock)
  }

  init(_ allowance: AttemptAllowance, capacity: Int, clock: KennelClock) {
    table = Mutex(AllowanceTable(allowance, capacity: capacity))
    self.clock = clock
  }

  /// Refuses a client that has guessed too often.
  ///
  /// - Throws: `tooManyAttempts`.
  package func check(_ address: String) throws(KennelError) {
    let key = ClientAddress.key(address)
    let delay = table.withLock { [now = clock.uptime()] in $0.delay(key, at: now) }
    guard delay > .zero else { return }
    let seconds = delay.secondsRoundedUp
    throw KennelError(
      .tooManyAttempts, "There were too many links that do not exist. Try again in \(seconds) seconds.",
      secondsToWait: seconds)
  }

  /// Counts a token that does not exist.
  package func countFailure(_ address: String) {
    let key = ClientAddress.key(address)
    table.withLock { [now = clock.uptime()] in $0.take(key, at: now) }
  }
}
