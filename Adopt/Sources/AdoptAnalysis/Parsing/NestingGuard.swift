/// Detects texts that SwiftParser cannot parse safely.
///
/// SwiftParser stops at 256 levels of nesting, but not during lookahead, where it can exhaust the stack. During
/// lookahead at `[`, it tries each level as a type and as a value, so the time doubles with every level: 16 levels take
/// a third of a second.
enum NestingGuard {
  private static let maximumBracketDepth = 400
  private static let maximumSquareBracketDepth = 14

  /// Returns whether a text is nested too deeply. Brackets in strings and comments count as well.
  static func isTooDeep(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var depth = 0
      var squares = 0
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "["):
          depth += 1
          squares += 1
        case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "}"): depth = max(0, depth - 1)
        case UInt8(ascii: "]"):
          depth = max(0, depth - 1)
          squares = max(0, squares - 1)
        // A character that cannot be part of a type ends the lookahead.
        case UInt8(ascii: "\""), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "/"): squares = 0
        default: break
        }
        if depth > maximumBracketDepth || squares > maximumSquareBracketDepth { return true }
      }
      return false
    }
  }
}
