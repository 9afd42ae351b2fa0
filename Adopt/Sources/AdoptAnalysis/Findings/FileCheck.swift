/// What became of looking at a file.
package struct FileCheck: Sendable {
  /// In the order of their places.
  package var findings: [Finding] = []
  /// Those that a comment with a reason suppresses.
  package var suppressed: [Finding] = []
  /// How many handlers and continuations were looked at.
  package var handlerCount = 0
  package var declined: [Decline] = []

  package init() {}
}

/// What was not looked at, and why.
package struct Decline: Sendable, Hashable {
  package let place: Place
  package let reason: String

  package init(place: Place, reason: String) {
    self.place = place
    self.reason = reason
  }
}
