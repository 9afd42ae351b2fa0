import SwiftSyntax

extension ParsedFile {
  /// A part of another file that was appended to a file.
  struct Part: Sendable {
    /// The offset of the part in the combined text.
    let start: Int
    let path: String
    /// The offset of the part in its own file.
    let originalStart: Int
    let lineStarts: [Int]
  }

  /// Returns this file, followed by the extensions of certain types in other files that mention certain words. Nil if
  /// there are none.
  func appending(extensionsOf types: Set<String>, mentioning words: Set<String>, in others: [ParsedFile])
    -> ParsedFile?
  {
    let finder = WordFinder(words)
    var text = text
    var parts: [Part] = []
    for other in others where !other.isTooDeep {
      for statement in other.tree.statements {
        guard let declaration = statement.item.as(ExtensionDeclSyntax.self),
          types.contains(declaration.extendedType.trimmedDescription), !declaration.hasError,
          !finder.find(in: other, range: declaration.byteRange).isEmpty
        else { continue }
        let range = declaration.trimmedBytes
        text += "\n"
        parts.append(
          Part(
            start: text.utf8.count, path: other.path, originalStart: range.lowerBound,
            lineStarts: other.lineStarts))
        text += other.text(in: range)
      }
    }
    return parts.isEmpty ? nil : ParsedFile(path: path, text: text + "\n", parts: parts)
  }

  /// Returns the file that a byte of a combined text is from, and its offset there.
  func origin(of offset: Int) -> (path: String, offset: Int, lineStarts: [Int]) {
    guard let part = parts.last(where: { $0.start <= offset }) else { return (path, offset, lineStarts) }
    return (part.path, offset - part.start + part.originalStart, part.lineStarts)
  }
}
