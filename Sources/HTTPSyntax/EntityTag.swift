/// Entity tags, such as `"1"` and `W/"1"` (RFC 9110, 8.8.3).
public enum EntityTag {
  /// Whether files with this tag may differ in their bytes.
  public static func isWeak(_ tag: String) -> Bool { tag.hasPrefix("W/") }

  /// Returns whether two tags are equal in a weak comparison, which ignores the mark of weak ones.
  public static func areWeaklyEqual(_ one: String, _ other: String) -> Bool { opaque(one) == opaque(other) }

  private static func opaque(_ tag: String) -> Substring { isWeak(tag) ? tag.dropFirst(2) : tag[...] }
}
