import SwiftSyntax

/// The places of words that a search needs, so that it can skip all nodes without such words.
///
/// Most of a file does not concern handlers, and scanning its bytes costs a hundredth of visiting its nodes.
struct Mentions: Sendable {
  /// The offsets in ascending order.
  private(set) var offsets: [Int] = []

  var isEmpty: Bool { offsets.isEmpty }

  mutating func append(_ offset: Int) {
    offsets.append(offset)
  }

  mutating func removeAll(where isOther: (Int) -> Bool) {
    offsets.removeAll(where: isOther)
  }

  /// Adds the places of another search.
  mutating func merge(_ other: Mentions) {
    guard !other.isEmpty else { return }
    offsets = (offsets + other.offsets).sorted()
  }

  /// Returns the index of the first place that is not before `offset`.
  func index(from offset: Int) -> Int {
    var low = 0
    var high = offsets.count
    while low < high {
      let middle = low + (high - low) / 2
      if offsets[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func touch(_ range: Range<Int>) -> Bool {
    let index = index(from: range.lowerBound)
    return index < offsets.count && offsets[index] < range.upperBound
  }

  func touch(_ node: some SyntaxProtocol) -> Bool {
    touch(node.byteRange)
  }
}

extension SyntaxProtocol {
  /// The offset of the node, after spaces and comments.
  var startOffset: Int { positionAfterSkippingLeadingTrivia.utf8Offset }

  /// The byte range of the node, including its trivia.
  var byteRange: Range<Int> {
    let start = position.utf8Offset
    return start..<max(start, endPosition.utf8Offset)
  }

  /// The byte range of the node, without leading and trailing trivia.
  var trimmedBytes: Range<Int> {
    let start = positionAfterSkippingLeadingTrivia.utf8Offset
    return start..<max(start, endPositionBeforeTrailingTrivia.utf8Offset)
  }
}
