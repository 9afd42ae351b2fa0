import SwiftParser
import SwiftSyntax

/// A Swift file, parsed.
package struct ParsedFile: Sendable {
  /// As it is to be shown, relative to where the command was started.
  package let path: String
  package let tree: SourceFileSyntax
  /// Where a position in `tree` is, for people.
  package let locations: SourceLocationConverter

  package init(path: String, text: String) {
    self.path = path
    tree = Parser.parse(source: text)
    locations = SourceLocationConverter(fileName: path, tree: tree)
  }
}
