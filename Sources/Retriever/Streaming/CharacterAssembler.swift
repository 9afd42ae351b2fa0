#if !canImport(Darwin)

/// Joins Unicode scalars into characters.
///
/// Usually only the next scalar shows that a character is complete.
@usableFromInline
package struct CharacterAssembler: Sendable {
  /// The longest real characters have one or two dozen scalars. Longer runs of combining marks are split here, so
  /// that they do not cost unlimited memory and time.
  private static var maximumScalarCount: Int { 256 }

  private var pending = ""
  private var scalarCount = 0
  /// Replaces `pending` while that is one ASCII scalar: the common case, which needs no string.
  private var pendingASCII: Unicode.Scalar?

  package init() {}

  /// Adds a scalar and returns the character before it if that is complete.
  @usableFromInline
  package mutating func append(_ scalar: Unicode.Scalar) -> Character? {
    if let last = pendingASCII {
      if scalar.isASCII, !(last == "\r" && scalar == "\n") {
        pendingASCII = scalar
        return Character(last)
      }
      begin(with: last)
      pendingASCII = nil
    } else if scalarCount == 0, scalar.isASCII {
      pendingASCII = scalar
      return nil
    }
    pending.unicodeScalars.append(scalar)
    scalarCount += 1
    guard let first = pending.first, scalarCount > 1 else { return nil }
    let isSplit = pending.index(after: pending.startIndex) != pending.endIndex
    guard isSplit || scalarCount > Self.maximumScalarCount else { return nil }
    let character = isSplit ? first : Character(String(first.unicodeScalars.dropLast()))
    if scalar.isASCII {
      pending = ""
      scalarCount = 0
      pendingASCII = scalar
    } else {
      begin(with: scalar)
    }
    return character
  }

  private mutating func begin(with scalar: Unicode.Scalar) {
    pending = String(Character(scalar))
    scalarCount = 1
  }

  /// Returns the last character.
  @usableFromInline
  package mutating func finish() -> Character? {
    defer {
      pending = ""
      scalarCount = 0
      pendingASCII = nil
    }
    return pendingASCII.map(Character.init) ?? pending.first
  }
}

#endif
