/// Texts with the character NUL, which PostgreSQL cannot store.
///
/// A character for private use stands for it, followed by another one. If a text contains this character itself, it is doubled. So all
/// texts come back as they were, and nearly all are stored as they are.
enum TextWithNUL {
  /// The first character of the last plane for private use.
  private static let mark: Unicode.Scalar = "\u{100000}"
  private static let nul: Unicode.Scalar = "\u{100001}"

  static func encoded(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0 || $0 == markByte }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\0" {
        result.append(mark)
        result.append(nul)
      } else {
        result.append(scalar)
        if scalar == mark { result.append(mark) }
      }
    }
    return String(result)
  }

  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(markByte) else { return text }
    var result = String.UnicodeScalarView()
    var isMarked = false
    for scalar in text.unicodeScalars {
      if isMarked {
        result.append(scalar == nul ? "\0" : scalar)
        isMarked = false
      } else if scalar == mark {
        isMarked = true
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// The first byte of the characters of the last plane in UTF-8. No other characters begin with it, except those of the plane.
  private static let markByte: UInt8 = 0xf4
}
