/// Text from elsewhere as it may be shown at a terminal.
package enum DisplayText {
  /// Without what a terminal would obey, or what makes a text look like another one.
  package static func safe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { !isHarmless($0) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(isHarmless(scalar) ? scalar : "\u{FFFD}") }
    return String(result)
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == "\t" { return true }
    return switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    // A joiner is part of many a character.
    case .format: scalar == "\u{200D}" || scalar == "\u{200C}"
    default: true
    }
  }

  /// How many columns a text takes.
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  private static func width(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    // Of a character of several scalars the first says it, unless it is asked to be shown as a picture.
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

  /// Exactly so many columns: cut in the middle, where names differ least, or filled with blanks.
  package static func fitted(_ text: String, to columns: Int) -> String {
    let text = shortened(text, to: columns)
    return text + String(repeating: " ", count: max(0, columns - width(text)))
  }

  /// At most so many columns.
  package static func shortened(_ text: String, to columns: Int) -> String {
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
