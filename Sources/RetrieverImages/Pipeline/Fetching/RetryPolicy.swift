import HTTPSyntax
import Foundation
import Retriever

/// The failures that are worth another attempt, and the pauses before it.
struct RetryPolicy: Sendable {
  var firstDelay = Duration.milliseconds(500)
  var maximumDelay = Duration.seconds(8)
  /// The maximum pause. If a server asks for a longer one, there is no further attempt.
  var maximumRetryAfter = Duration.seconds(30)

  /// - Parameters:
  ///   - attempt: The number of the attempt, from 1.
  ///   - retryAfter: The pause that the server asked for.
  ///   - jitter: A random number from 0 to 1, so that clients that failed at the same time do not retry at the same
  ///     time.
  func delay(attempt: Int, retryAfter: Duration?, jitter: Double) -> Duration {
    let doubled = firstDelay * (1 << min(max(attempt - 1, 0), 10))
    let share = 0.75 + 0.5 * min(max(jitter, 0), 1)
    return max(min(doubled, maximumDelay) * share, retryAfter ?? .zero)
  }

  func allows(retryAfter: Duration?) -> Bool { retryAfter.map { $0 <= maximumRetryAfter } ?? true }

  static func isTransient(_ error: any Error) -> Bool {
    guard let error = error as? URLError else { return false }
    return switch error.code {
    case .timedOut, .networkConnectionLost, .cannotConnectToHost: true
    default: false
    }
  }

  static func isTransient(status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }

  /// Returns the pause that a server asks for, in seconds or until a date.
  static func retryAfter(_ field: String?, now: Date) -> Duration? {
    guard let field else { return nil }
    if let seconds = ASCII.number(ASCII.trimmed(field)) { return .seconds(min(seconds, 1_000_000_000)) }
    return CookieDate.parse(field).map { .seconds(min(max(0, $0.timeIntervalSince(now)), 1_000_000_000)) }
  }
}
