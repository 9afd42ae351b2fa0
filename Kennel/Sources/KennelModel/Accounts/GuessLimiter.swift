import KennelStorage
import Synchronization

/// Limits how often a client may try tokens that do not exist, such as those of secret links.
///
/// A client that has not guessed costs nothing. Guesses are also counted for all processes (``SharedAllowances``).
package final class GuessLimiter: Sendable {
  private let table: Mutex<AllowanceTable<String>>
  private let purpose: String
  private let shared: SharedAllowances
  private let clock: KennelClock

  /// - Parameter purpose: what the guesses are for. Limiters with the same purpose count together.
  init(
    _ purpose: String, _ allowance: AttemptAllowance = AttemptAllowance(burst: 20, refill: .seconds(10)),
    capacity: Int = 10_000, shared: SharedAllowances, clock: KennelClock
  ) {
    table = Mutex(AllowanceTable(allowance, capacity: capacity))
    self.purpose = purpose
    self.shared = shared
    self.clock = clock
  }

  /// Refuses a client that has guessed too often, as far as this process knows.
  ///
  /// - Throws: `tooManyAttempts`.
  package func check(_ address: String) throws(KennelError) {
    let key = ClientAddress.key(address)
    try Self.refuse(table.withLock { [now = clock.uptime()] in $0.delay(key, at: now) })
  }

  /// Counts a token that does not exist.
  ///
  /// - Throws: `tooManyAttempts` if other processes have already counted as many as are allowed.
  package func countFailure(_ address: String) async throws(KennelError) {
    let key = ClientAddress.key(address)
    let allowance = table.withLock { [now = clock.uptime()] table in
      table.take(key, at: now)
      return table.allowance
    }
    let count = SharedAllowances.Count(text: "\(purpose) address \(key)", allowance: allowance)
    guard let answer = await shared.take([count]) else { return }
    if let rest = answer.untilFull.first ?? nil {
      table.withLock { [now = clock.uptime()] in $0.setFull(key, at: now + rest) }
    }
    try Self.refuse(answer.delay)
  }

  private static func refuse(_ delay: Duration) throws(KennelError) {
    guard delay > .zero else { return }
    let seconds = delay.secondsRoundedUp
    throw KennelError(
      .tooManyAttempts, "There were too many links that do not exist. Try again in \(seconds) seconds.",
      secondsToWait: seconds)
  }
}
