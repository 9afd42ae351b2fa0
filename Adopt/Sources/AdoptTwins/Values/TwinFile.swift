import AdoptAnalysis

/// A function that gets no twin.
package struct Declined: Sendable, Hashable {
  package let place: Place
  package let function: FunctionName
  /// A clause in lower case without a full stop: "it is an operator".
  package let reason: String

  package init(place: Place, function: FunctionName, reason: String) {
    self.place = place
    self.function = function
    self.reason = reason
  }
}

/// A function that already has a twin.
package struct ExistingTwin: Sendable, Hashable {
  package let place: Place
  package let function: FunctionName
  package let twin: String
}

/// The result for one file.
package struct TwinFile: Sendable {
  package var twins: [Twin] = []
  package var declined: [Declined] = []
  package var existing: [ExistingTwin] = []

  package init() {}
}
