import TerminalProgram

/// Makes file names that a server suggests safe to use in a directory.
package enum SafeName {
  /// The maximum length, which leaves room for suffixes such as `.part` within the 255 bytes of most file systems.
  private static let longest = 240

  package static func make(_ proposed: String?) -> String {
    var name = DisplayText.safe(proposed ?? "")
    name = String(name.map { $0 == "/" || $0 == "\\" || $0 == "\u{FFFD}" ? "_" : $0 })
    // Hidden files can configure programs, and a leading hyphen turns a name into an option.
    while let first = name.first, first == "." || first == "-" || first.isWhitespace { name.removeFirst() }
    while let last = name.last, last.isWhitespace { name.removeLast() }
    return name.isEmpty ? "download" : shortened(name)
  }

  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > longest else { return name }
    let ending =
      name.lastIndex(of: ".").map { String(name[$0...]) }.flatMap { $0.utf8.count <= 16 ? $0 : nil } ?? ""
    var stem = name.dropLast(ending.count)
    while stem.utf8.count + ending.utf8.count > longest { stem.removeLast() }
    return stem + ending
  }
}
