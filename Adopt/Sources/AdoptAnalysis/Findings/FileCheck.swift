/// The result of checking a file.
package struct FileCheck: Sendable {
  /// The findings, ordered by place.
  package var findings: [Finding] = []
  /// The findings that are suppressed by a comment with a reason.
  package var suppressed: [Finding] = []
  /// The number of handlers and continuations that were checked.
  package var handlerCount = 0
  package var declined: [Decline] = []
  /// What other files have to know about the file. Nil if the file was not checked.
  package var summary: FileSummary?

  package init() {}
}

/// A part of a file that was not checked, and the reason.
package struct Decline: Sendable, Hashable {
  package let place: Place
  package let reason: String

  package init(place: Place, reason: String) {
    self.place = place
    self.reason = reason
  }
}
