extension StringProtocol {
  /// Returns this text with some ASCII characters doubled, as in quoted texts of query languages.
  ///
  /// It is done with bytes, not with characters: a quotation mark and an accent after it are one character.
  package func doubling(_ characters: StaticString) -> String {
    let doubled = characters.withUTF8Buffer { Array($0) }
    var bytes: [UInt8] = []
    for byte in utf8 {
      if doubled.contains(byte) { bytes.append(byte) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
