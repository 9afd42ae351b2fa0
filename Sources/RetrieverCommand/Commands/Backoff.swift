/// How long to wait before connecting again: twice as long each time nothing came, never longer than the most.
package struct Backoff: Sendable, Equatable {
  package private(set) var attempts = 0
  package var first: Duration
  package let longest: Duration

  package init(first: Duration, longest: Duration = .seconds(30)) {
    self.first = first
    self.longest = longest
  }

  /// Something came: the next wait is short again.
  package mutating func reset() { attempts = 0 }

  /// - Parameter jitter: from 0 to 1, so that those who were cut off together do not come back together.
  package mutating func next(jitter: Double) -> Duration {
    let doubled = first * (1 << min(attempts, 16))
    attempts += 1
    return min(doubled, max(longest, first)) * (0.75 + 0.25 * min(max(jitter, 0), 1))
  }
}
