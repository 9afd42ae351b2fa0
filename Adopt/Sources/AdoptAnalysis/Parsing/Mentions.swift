import SwiftSyntax

/// Where in a file words stand that a search is interested in, so that it can pass by all that is without one.
///
/// Most of a file has nothing to do with handlers. To look at its bytes once costs a hundredth of looking at its
/// nodes.
struct Mentions: Sendable {
  /// Ascending.
  private(set) var offsets: [Int] = []

  var isEmpty: Bool { offsets.isEmpty }

  mutating func append(_ offset: Int) {
    offsets.append(offset)
  }

  mutating func removeAll(where isOther: (Int) -> Bool) {
    offsets.removeAll(where: isOther)
  }

  /// Takes in another search's mentions.
  mutating func merge(_ other: Mentions) {
    guard !other.isEmpty else { return }
    offsets = (offsets + other.offsets).sorted()
  }

  /// The index of the first mention that is not before `offset`.
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
  /// With all of its trivia.
  var byteRange: Range<Int> {
    let start = position.utf8Offset
    return start..<max(start, endPosition.utf8Offset)
  }

  /// Without the trivia around it.
  var trimmedBytes: Range<Int> {
    let start = positionAfterSkippingLeadingTrivia.utf8Offset
    return start..<max(start, endPositionBeforeTrailingTrivia.utf8Offset)
  }
}
