// The same functions for `String`, which nearly all callers use. The calling module need not specialize generic code.
extension ASCII {
  /// Whether a text is a `token` (RFC 9110): one or more token characters. An empty text is not a token.
  public static func isToken(_ text: String) -> Bool {
    !text.isEmpty && allSatisfy(text, isTokenCharacter)
  }

  /// Whether two texts have the same UTF-8 bytes, ignoring the case of A to Z only.
  public static func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    let isEqual = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
      }
    }
    // A string that is not stored as UTF-8 provides no contiguous bytes.
    return (isEqual ?? nil) ?? zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  private static func allSatisfy(_ text: String, _ rule: (UInt8) -> Bool) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      for byte in bytes where !rule(byte) { return false }
      return true
    } ?? text.utf8.allSatisfy(rule)
  }
}
