extension Int64 {
  /// Creates an id from decimal digits. Returns nil if the text is not a valid id.
  init?(identifier text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text), number > 0
    else { return nil }
    self = number
  }
}
