/// Finds complete words in the bytes of a file.
struct WordFinder {
  /// The words to find, by their first byte.
  private var words: [[[UInt8]]] = Array(repeating: [], count: 256)

  init(_ words: some Sequence<String>) {
    for word in words {
      let bytes = Array(word.utf8)
      guard let first = bytes.first else { continue }
      self.words[Int(first)].append(bytes)
    }
  }

  func find(in file: ParsedFile, range: Range<Int>? = nil) -> Mentions {
    var mentions = Mentions()
    file.forEachWord(in: range) { bytes, word in
      candidates: for candidate in words[Int(bytes[word.lowerBound])] where candidate.count == word.count {
        for index in 0..<candidate.count where candidate[index] != bytes[word.lowerBound + index] {
          continue candidates
        }
        mentions.append(word.lowerBound)
        return
      }
    }
    return mentions
  }
}

extension ParsedFile {
  /// Calls `body` for each word in a range of the file's bytes, in order, whether it is in code, a comment or a
  /// string.
  func forEachWord(
    in range: Range<Int>? = nil, _ body: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Void
  ) {
    var text = text
    text.withUTF8 { bytes in
      var index = max(range?.lowerBound ?? 0, 0)
      let end = min(range?.upperBound ?? bytes.count, bytes.count)
      while index < end {
        guard Self.isWord(bytes[index]) else {
          index += 1
          continue
        }
        let start = index
        while index < end, Self.isWord(bytes[index]) { index += 1 }
        body(bytes, start..<index)
      }
    }
  }

  /// Returns the text of a byte range. Invalid UTF-8 is replaced.
  package func text(in range: Range<Int>) -> String {
    var text = text
    return text.withUTF8 { bytes in
      let range = range.clamped(to: 0..<bytes.count)
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
  }

  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "$"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xff:
      true
    default: false
    }
  }
}
