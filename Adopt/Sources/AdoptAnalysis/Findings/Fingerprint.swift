/// Computes a value that identifies a finding even if lines move.
enum Fingerprint {
  static func of(_ kind: Finding.Kind, subject: Subject, statementAt offset: Int, in file: ParsedFile)
    -> String
  {
    of(kind, function: subject.function, handler: subject.shownName, statementAt: offset, in: file)
  }

  static func of(
    _ kind: Finding.Kind, function: String, handler: String, statementAt offset: Int, in file: ParsedFile
  ) -> String {
    "\(kind.rawValue)|\(function)|\(handler)|\(statement(at: offset, in: file))"
  }

  /// Returns the rest of the line, with single spaces and without comments.
  private static func statement(at offset: Int, in file: ParsedFile) -> String {
    let line = file.line(at: offset)
    let end = line + 1 < file.lineStarts.count ? file.lineStarts[line + 1] : file.text.utf8.count
    let text = file.text(in: offset..<max(offset, min(end, offset + 200)))
    var words: [Substring] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if word.hasPrefix("//") { break }
      words.append(word)
    }
    return words.joined(separator: " ")
  }
}
