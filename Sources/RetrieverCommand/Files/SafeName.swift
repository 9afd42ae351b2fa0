import TerminalProgram

/// A file name that a server proposes, as a name that can do no harm in the directory it goes to.
package enum SafeName {
  /// What is appended while a file is not whole still has room within the 255 bytes a file system takes.
  private static let longest = 240

  package static func make(_ proposed: String?) -> String {
    var name = DisplayText.safe(proposed ?? "")
    name = String(name.map { $0 == "/" || $0 == "\\" || $0 == "\u{FFFD}" ? "_" : $0 })
    // Hidden files configure programs, and a leading hyphen makes an option of a name.
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
