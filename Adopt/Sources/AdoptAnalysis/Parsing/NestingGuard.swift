/// Tells of texts that SwiftParser should not be given.
///
/// It stops at 256 levels of nesting, but not while it looks ahead, where its stack can end. And looking ahead at `[`
/// it tries each level as a type and as a value: its time doubles with every level, 16 of them take it a third of a
/// second.
enum NestingGuard {
  private static let mostBrackets = 400
  private static let mostSquares = 14

  /// What stands in strings and comments counts as if it were code.
  static func refuses(_ text: String) -> Bool {
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
        // Whatever cannot be in a type ends looking ahead for one.
        case UInt8(ascii: "\""), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "/"): squares = 0
        default: break
        }
        if depth > mostBrackets || squares > mostSquares { return true }
      }
      return false
    }
  }
}
