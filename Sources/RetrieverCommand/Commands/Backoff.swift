/// The delay before reconnecting. It doubles with each attempt that receives no data, up to a maximum.
package struct Backoff: Sendable, Equatable {
  package private(set) var attempts = 0
  package var first: Duration
  package let longest: Duration

  package init(first: Duration, longest: Duration = .seconds(30)) {
    self.first = first
    self.longest = longest
  }

  /// Resets the delay after data has arrived.
  package mutating func reset() { attempts = 0 }

  /// - Parameter jitter: A random number from 0 to 1, so that clients that were disconnected together do not
  ///   reconnect together.
  package mutating func next(jitter: Double) -> Duration {
    let doubled = first * (1 << min(attempts, 16))
    attempts += 1
    return min(doubled, max(longest, first)) * (0.75 + 0.25 * min(max(jitter, 0), 1))
  }
}
