import SwiftParser
import SwiftSyntax

/// A Swift file, parsed.
package struct ParsedFile: Sendable {
  /// As it is to be shown, relative to where the command was started.
  package let path: String
  package let text: String
  package let tree: SourceFileSyntax
  /// Whether its brackets nest so deeply that parsing it could take for ever, or exhaust the stack. `tree` is
  /// empty then.
  package let isTooDeep: Bool
  /// Where each line starts, in bytes.
  let lineStarts: [Int]

  package init(path: String, text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.path = path
    self.text = text
    isTooDeep = NestingGuard.refuses(text)
    tree = Parser.parse(source: isTooDeep ? "" : text)
    lineStarts = Self.lineStarts(of: text)
  }

  /// SwiftSyntax's own answer to where something is. It looks at every token to find the lines, which costs
  /// about as much as a quarter of parsing: `place(at:)` is for those who only report.
  package var locations: SourceLocationConverter {
    SourceLocationConverter(fileName: path, tree: tree)
  }
}
