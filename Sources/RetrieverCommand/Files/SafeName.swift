import TerminalProgram

/// Makes file names that a server suggests safe to use in a directory.
package enum SafeName {
  /// The maximum length, which leaves room for suffixes such as `.part` within the 255 bytes of most file systems.
  private static let longest = 240

  /// - Parameter suffix: A text to append. The name is shortened to leave room for it.
  package static func make(_ proposed: String?, suffix: String = "") -> String {
    let scalars = DisplayText.safe(proposed ?? "").unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar == "/" || scalar == "\\" || scalar == "\u{FFFD}" ? "_" : scalar
    }
    let name = stripped(String(String.UnicodeScalarView(scalars)))
    // A shortened name may end with a blank.
    let short = stripped(shortened(name, to: longest - suffix.utf8.count))
    return (short.isEmpty ? "download" : short) + suffix
  }

  /// Removes what is dangerous at the beginning, and blanks at the end.
  ///
  /// It compares scalars, because a file system does: in Swift, a dot with a combining mark is another Character.
  private static func stripped(_ name: String) -> String {
    var scalars = name.unicodeScalars.drop(while: isUnsafeAtStart)
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(Substring(scalars))
  }

  /// Hidden files can configure programs, and a leading hyphen turns a name into an option. A leading mark would
  /// combine with the slash before the name.
  private static func isUnsafeAtStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .format: true
    default: scalar == "." || scalar == "-" || scalar.properties.isWhitespace
    }
  }

  /// Shortens the part before the extension.
  private static func shortened(_ name: String, to limit: Int) -> String {
    var count = name.utf8.count
    guard count > limit else { return name }
    let scalars = name.unicodeScalars
    let dot = scalars.lastIndex(of: ".")
    let end = dot.flatMap { name.utf8[$0...].count <= 16 ? $0 : nil } ?? scalars.endIndex
    var stem = scalars[..<end]
    while count > limit, let last = stem.last {
      stem.removeLast()
      count -= UTF8.width(last)
    }
    return String(Substring(stem)) + String(Substring(scalars[end...]))
  }
}
