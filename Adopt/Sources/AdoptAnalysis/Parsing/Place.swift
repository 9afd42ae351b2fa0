import SwiftSyntax

/// A place in a file, counted as the compiler does.
package struct Place: Sendable, Hashable {
  package let path: String
  /// The line, counted from 1.
  package let line: Int
  /// The column, counted from 1 in UTF-8 bytes.
  package let column: Int
  /// The offset, counted from 0 in UTF-8 bytes.
  package let offset: Int

  package init(path: String, line: Int, column: Int, offset: Int) {
    self.path = path
    self.line = line
    self.column = column
    self.offset = offset
  }
}

extension ParsedFile {
  /// Returns the place of a byte. Offsets outside the file are clamped to its bounds.
  package func place(at offset: Int) -> Place {
    let offset = min(max(offset, 0), text.utf8.count)
    if !parts.isEmpty {
      let origin = origin(of: offset)
      let line = Self.line(at: origin.offset, lineStarts: origin.lineStarts)
      return Place(
        path: origin.path, line: line + 1, column: origin.offset - origin.lineStarts[line] + 1,
        offset: origin.offset)
    }
    let line = line(at: offset)
    return Place(path: path, line: line + 1, column: offset - lineStarts[line] + 1, offset: offset)
  }

  package func place(of node: some SyntaxProtocol) -> Place {
    place(at: node.positionAfterSkippingLeadingTrivia.utf8Offset)
  }

  /// Returns the index of the line that contains a byte.
  func line(at offset: Int) -> Int { Self.line(at: offset, lineStarts: lineStarts) }

  private static func line(at offset: Int, lineStarts: [Int]) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the starts of the lines. As in the compiler, lines end with a line feed, a carriage return, or both.
  static func lineStarts(of text: String) -> [Int] {
    var starts = [0]
    var text = text
    text.withUTF8 { bytes in
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\n") {
          starts.append(index)
        } else if byte == UInt8(ascii: "\r") {
          if index < bytes.count, bytes[index] == UInt8(ascii: "\n") { index += 1 }
          starts.append(index)
        }
      }
    }
    return starts
  }
}
