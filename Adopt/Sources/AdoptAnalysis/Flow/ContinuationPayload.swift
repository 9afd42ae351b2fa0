/// How a value that a property stores contains a continuation.
struct ContinuationPayload {
  /// The members of a struct or tuple that are the continuation: a name, or a label and a position.
  var members: Set<String> = []
  /// The other stored members. Reading or changing them does not affect the continuation.
  var otherMembers: Set<String> = []
  /// The position of the continuation in a tuple.
  var position: Int?
  /// The cases of an enum that carry a continuation, and its position among their values.
  var cases: [String: Int] = [:]
  /// The cases of an enum that carry none.
  var otherCases: Set<String> = []

  /// Whether the value is an enum such as `case idle, waiting(CheckedContinuation<Int, Never>)`.
  var isState: Bool { !cases.isEmpty }
}
