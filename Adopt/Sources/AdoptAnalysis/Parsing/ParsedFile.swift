import SwiftParser
import SwiftSyntax

/// A Swift file, parsed.
package struct ParsedFile: Sendable {
  /// As it is to be shown, relative to where the command was started.
  package let path: String
  package let text: String
  package let tree: SourceFileSyntax
  /// Whether brackets nest so deeply that parsing it could exhaust the stack. `tree` is empty then.
  package let isTooDeep: Bool
  /// Where each line starts, in bytes.
  let lineStarts: [Int]

  package init(path: String, text: String) {
    var text = text
    text.makeContiguousUTF8()
    self.path = path
    self.text = text
    isTooDeep = Self.depth(of: text) > Self.mostDepth
    tree = Parser.parse(source: isTooDeep ? "" : text)
    lineStarts = Self.lineStarts(of: text)
  }

  /// SwiftParser gives up at 256 levels, but not in all of its lookahead.
  private static let mostDepth = 400

  /// How deeply brackets nest. Those in strings and comments count, as if they were code.
  private static func depth(of text: String) -> Int {
    var text = text
    return text.withUTF8 { bytes in
      var depth = 0
      var most = 0
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          most = max(most, depth)
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
        default: break
        }
      }
      return most
    }
  }

  /// SwiftSyntax's own answer to where something is. It looks at every token to find the lines, which costs
  /// about as much as a quarter of parsing: `place(at:)` is for those who only report.
  package var locations: SourceLocationConverter {
    SourceLocationConverter(fileName: path, tree: tree)
  }
}
