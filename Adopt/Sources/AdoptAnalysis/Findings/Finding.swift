/// One way in which a handler is not called exactly once.
package struct Finding: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// A path leaves without calling.
    case never
    /// A path calls again.
    case twice
    /// Called with neither a value nor an error.
    case nothing
    /// Dropped: by the exit of a `[weak self]`, or by storing another one over it.
    case lost
    /// Work goes on after the call, where leaving was meant.
    case after
    /// A comment that suppresses findings without saying why.
    case suppression
  }

  package typealias Note = (place: Place, message: String)

  package let kind: Kind
  package let place: Place
  /// The handler's name.
  package let handler: String
  /// The function's name, as `fetchThumbnail(for:completion:)`.
  package let function: String
  /// In the compiler's manner: lower case, no full stop.
  package let message: String
  /// The path that leads there, in order.
  package let notes: [Note]
  package let fixIts: [FixIt]
  /// The same as long as the function, the handler and the statement are: lines may move.
  package let fingerprint: String

  package init(
    kind: Kind, place: Place, handler: String, function: String, message: String, notes: [Note] = [],
    fixIts: [FixIt] = [], fingerprint: String
  ) {
    self.kind = kind
    self.place = place
    self.handler = handler
    self.function = function
    self.message = message
    self.notes = notes
    self.fixIts = fixIts
    self.fingerprint = fingerprint
  }
}

/// A change that certainly does what its message says.
package struct FixIt: Sendable {
  /// A range of the file's bytes, and what takes its place.
  package typealias Edit = (range: Range<Int>, replacement: String)

  package let message: String
  /// They do not overlap, and are sorted.
  package let edits: [Edit]

  package init(message: String, edits: [Edit]) {
    self.message = message
    self.edits = edits
  }
}
