/// The words of texts, for queries and for the index that is made here.
///
/// Words consist of scalars, not of characters: some letters of Indic scripts form one character with what follows them, also with
/// a quotation mark.
extension Unicode.Scalar {
  /// Whether a word can begin with this: a letter or a part of a number.
  private var beginsSearchWord: Bool { properties.isAlphabetic || properties.numericType != nil }

  /// Whether this can be a part of a word: also a mark of a letter, or a character that joins letters.
  var isInSearchWord: Bool {
    beginsSearchWord || properties.isGraphemeExtend || properties.generalCategory == .spacingMark
      || properties.isEmojiModifier || self == "\u{200D}"
  }

  /// Returns whether this continues a word, or else begins one.
  fileprivate func isWordPart(afterWord: Bool) -> Bool { afterWord ? isInSearchWord : beginsSearchWord }
}

extension Substring {
  /// The words of this text.
  var searchWords: [Substring] {
    var words: [Substring] = []
    var start: Index?
    for index in unicodeScalars.indices {
      if unicodeScalars[index].isWordPart(afterWord: start != nil) {
        start = start ?? index
      } else if let begin = start {
        words.append(self[begin..<index])
        start = nil
      }
    }
    if let start { words.append(self[start...]) }
    return words
  }
}
