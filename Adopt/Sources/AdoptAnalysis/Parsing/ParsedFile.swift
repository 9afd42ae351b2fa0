import SwiftParser
import SwiftSyntax

/// A parsed Swift file.
package struct ParsedFile: Sendable {
  /// The path to show, relative to the current folder of the command.
  package let path: String
  package let text: String
  package let tree: SourceFileSyntax
  /// Whether the brackets are nested so deeply that parsing could take extremely long or exhaust the stack. If so,
  /// `tree` is empty.
  package let isTooDeep: Bool
  /// The byte offsets of the starts of the lines.
  let lineStarts: [Int]
  /// The parts of other files at the end of the text, in order.
  let parts: [Part]

  package init(path: String, text: String) {
    self.init(path: path, text: text, parts: [])
  }

  init(path: String, text: String, parts: [Part]) {
    self.parts = parts
    var text = text
    text.makeContiguousUTF8()
    self.path = path
    self.text = text
    isTooDeep = NestingGuard.isTooDeep(text)
    tree = Parser.parse(source: isTooDeep ? "" : text)
    lineStarts = Self.lineStarts(of: text)
  }

  /// The source location converter of SwiftSyntax.
  ///
  /// Creating it visits every token, which takes about a quarter of the time for parsing. Use `place(at:)` if you only
  /// need places for reports.
  package var locations: SourceLocationConverter {
    SourceLocationConverter(fileName: path, tree: tree)
  }
  /// Returns the spaces and tabs before a place, or nil if there is other code on its line.
  func indentation(before offset: Int) -> String? {
    let text = text(in: lineStarts[line(at: offset)]..<offset)
    return text.allSatisfy { $0 == " " || $0 == "\t" } ? text : nil
  }
}
