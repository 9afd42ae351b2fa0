/// Prepares text from untrusted sources for display on a terminal.
public enum DisplayText {
  /// Returns the text with characters replaced that control a terminal or that disguise a text.
  public static func safe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { !isHarmless($0) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isHarmless(scalar) ? scalar : "\u{FFFD}") }
    return String(result)
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\t" { return true }
    return switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    // Joiners are part of many characters.
    case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
    default: true
    }
  }

  /// Returns the number of columns that a text occupies.
  public static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // The first scalar determines the width, except with the selector for emoji presentation.
    if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format: return 0
    default: break
    }
    return switch first.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      2
    default: 1
    }
  }

  /// Returns the text in exactly this number of columns. A long text is cut in the middle, because names often differ
  /// at their ends; a short one is padded with spaces.
  public static func fitted(_ text: String, to columns: Int) -> String {
    let text = shortened(text, to: columns)
    return text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// Returns the text in at most this number of columns.
  public static func shortened(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 1 else { return columns == 1 ? "…" : "" }
    let end = suffix(text, columns: (columns - 1) / 2)
    return prefix(text, columns: columns - 1 - width(end)) + "…" + end
  }

  private static func prefix(_ text: String, columns: Int) -> String {
    var left = columns
    return String(
      text.prefix { character in
        left -= width(character)
        return left >= 0
      })
  }

  private static func suffix(_ text: String, columns: Int) -> String {
    String(prefix(String(text.reversed()), columns: columns).reversed())
  }
}
