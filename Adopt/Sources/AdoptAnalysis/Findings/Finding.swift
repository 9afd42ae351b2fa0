/// A way in which a handler is not called exactly once.
package struct Finding: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// A path leaves without calling the handler.
    case never
    /// A path calls the handler again.
    case twice
    /// The handler is called with neither a value nor an error.
    case nothing
    /// The handler is dropped: because a weak `self` is nil, or because another handler overwrites it.
    case lost
    /// The handler is passed on after it was called, usually because a `return` is missing.
    case after
    /// A comment suppresses findings without a reason.
    case suppression
  }

  package typealias Note = (place: Place, message: String)

  package let kind: Kind
  package let place: Place
  /// The name of the handler.
  package let handler: String
  /// The name of the function, such as `fetchThumbnail(for:completion:)`.
  package let function: String
  /// The message in the style of the compiler: lower case, no full stop.
  package let message: String
  /// The steps of the path that leads to the finding, in order.
  package let notes: [Note]
  package internal(set) var fixIts: [FixIt]
  /// What to do if no fix-it can be written, because its values are not known.
  package internal(set) var advice: Note?
  /// A value that stays the same when lines move, as long as the function, the handler and the statement do not change.
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

/// A change that is certain to do what its message says.
package struct FixIt: Sendable {
  /// A range of the file's bytes, and its replacement.
  package typealias Edit = (range: Range<Int>, replacement: String)

  package let message: String
  /// The edits, sorted and without overlaps.
  package let edits: [Edit]
  /// Whether it needs no further check that it removes its finding.
  let isVerified: Bool

  package init(message: String, edits: [Edit], isVerified: Bool = true) {
    self.message = message
    self.edits = edits
    self.isVerified = isVerified
  }
}

extension FixIt {
  /// Returns the fix-it with offsets in the file of a place. Nil if an edit concerns another file.
  func inItsFile(_ file: ParsedFile, at offset: Int) -> FixIt? {
    guard !file.parts.isEmpty else { return self }
    let path = file.origin(of: offset).path
    var moved: [Edit] = []
    for edit in edits {
      let start = file.origin(of: edit.range.lowerBound)
      guard start.path == path else { return nil }
      moved.append((start.offset..<(start.offset + edit.range.count), edit.replacement))
    }
    return FixIt(message: message, edits: moved, isVerified: isVerified)
  }
}
