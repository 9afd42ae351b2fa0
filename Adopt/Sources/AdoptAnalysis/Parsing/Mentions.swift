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

/// Finds whole words in a file's bytes.
struct WordFinder {
  /// By their first byte.
  private var words: [[[UInt8]]] = Array(repeating: [], count: 256)

  init(_ words: some Sequence<String>) {
    for word in words {
      let bytes = Array(word.utf8)
      guard let first = bytes.first else { continue }
      self.words[Int(first)].append(bytes)
    }
  }

  func find(in file: ParsedFile) -> Mentions {
    find(in: file, range: 0..<file.text.utf8.count)
  }

  func find(in file: ParsedFile, range: Range<Int>) -> Mentions {
    var text = file.text
    return text.withUTF8 { bytes in
      var mentions = Mentions()
      var index = range.lowerBound
      let end = min(range.upperBound, bytes.count)
      while index < end {
        guard Self.isWord(bytes[index]) else {
          index += 1
          continue
        }
        let start = index
        while index < end, Self.isWord(bytes[index]) { index += 1 }
        if matches(bytes, start..<index) { mentions.append(start) }
      }
      return mentions
    }
  }

  private func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    candidates: for word in words[Int(bytes[range.lowerBound])] where word.count == range.count {
      for index in 0..<word.count where word[index] != bytes[range.lowerBound + index] { continue candidates }
      return true
    }
    return false
  }

  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xff:
      true
    default: false
    }
  }
}
