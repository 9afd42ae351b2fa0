import Foundation
import Retriever

/// When a request is sent again, and after which pause. A pure value.
package struct StoreRetries: Sendable, Hashable {
  /// The maximum number of times that a request is sent.
  package var maximumAttempts = 5
  /// The longest pause after the first failure. It doubles with each further one.
  package var firstPause = Duration.milliseconds(100)
  /// The maximum pause, unless the store asks for a longer one.
  package var maximumPause = Duration.seconds(10)
  /// How long after the first attempt another one may begin.
  package var maximumTime = Duration.seconds(10)

  package init() {}

  /// Returns the pause before the next attempt; nil to give up.
  ///
  /// - Parameters:
  ///   - attempts: How many attempts have failed in a row.
  ///   - asked: The pause that the store asks for.
  ///   - jitter: A random number from 0 to 1. Clients that failed together do not come back together.
  ///   - elapsed: How long ago the first attempt began.
  func pause(
    afterAttempts attempts: Int, asked: Duration?, jitter: Double, elapsed: Duration = .zero
  ) -> Duration? {
    guard attempts < maximumAttempts else { return nil }
    var longest = firstPause
    for _ in 1..<max(attempts, 1) where longest < maximumPause { longest *= 2 }
    let pause = min(longest, maximumPause) * (0.5 + min(max(jitter, 0), 1) / 2)
    let next = max(pause, asked ?? .zero)
    return elapsed + next <= maximumTime ? next : nil
  }

  /// What a failure means for another attempt.
  enum Verdict: Sendable {
    /// Another attempt would fail in the same way.
    case final
    /// The store has refused the request, so it had no effect.
    case refused
    /// The request may have had an effect.
    case unknown
  }

  static func verdict(status: Int, storeCode: String?) -> Verdict {
    switch storeCode {
    case "SlowDown", "ServiceUnavailable", "RequestTimeout", "OperationAborted", "BadDigest",
      "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch":
      return .refused
    // Also in a response with status 200, which begins before an upload in parts is completed.
    case "InternalError": return .unknown
    default: break
    }
    return switch status {
    case 429, 503: .refused
    case 500, 502, 504: .unknown
    default: .final
    }
  }

  static func verdict(_ code: URLError.Code) -> Verdict {
    switch code {
    case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet: .refused
    case .timedOut, .networkConnectionLost: .unknown
    default: .final
    }
  }
}

/// The time and the chance that a client uses. Tests have their own.
package struct StoreClock: Sendable {
  /// The current date, which is part of signatures.
  package var now: @Sendable () -> Date
  /// Waits. Throws if the task is cancelled.
  package var sleep: @Sendable (Duration) async throws -> Void
  /// A random number from 0 to 1.
  package var jitter: @Sendable () -> Double
  /// The time that measures how long attempts take.
  package var uptime: @Sendable () -> ContinuousClock.Instant

  package init(
    now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void,
    jitter: @escaping @Sendable () -> Double,
    uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.now = now
    self.sleep = sleep
    self.jitter = jitter
    self.uptime = uptime
  }

  /// The system's clock and random numbers.
  package static let system = StoreClock(
    now: { Date() }, sleep: { try await Task.sleep(for: $0) }, jitter: { Double.random(in: 0...1) })
}
