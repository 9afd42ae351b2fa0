/// The names of the photos in an archive. They are unique, in the order of the photos, and valid on all common systems.
enum ArchiveNames {
  private static let maximumCharacterCount = 60
  private static let maximumByteCount = 180

  /// Returns a name such as `007 Rex at the lake.jpg`.
  ///
  /// - Parameters:
  ///   - number: the number of the photo in the archive, from 1.
  ///   - count: the number of photos.
  ///   - text: the caption, of which the first line is used.
  ///   - suffix: the ending of the name.
  static func name(number: Int, of count: Int, text: String, suffix: String) -> String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, max(3, String(count).count) - digits.count))
    let title = title(text)
    return zeros + digits + (title.isEmpty ? "" : " \(title)") + ".\(suffix)"
  }

  /// Returns the first line of a text without what has a meaning in a path, without control characters, and without
  /// characters that change the direction of the text.
  static func title(_ text: String) -> String {
    var title = ""
    let line = text.split(whereSeparator: \.isNewline).first ?? ""
    for scalar in line.unicodeScalars.prefix(1000) {
      switch scalar.properties.generalCategory {
      case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator:
        continue
      default: title.unicodeScalars.append("/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "-" : scalar)
      }
    }
    title = title.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    title = String(title.prefix(maximumCharacterCount))
    while title.utf8.count > maximumByteCount { title.removeLast() }
    // Windows leaves out dots and spaces at the end.
    while let last = title.last, last == "." || last == " " { title.removeLast() }
    while title.first == "." { title.removeFirst() }
    return title
  }
}
