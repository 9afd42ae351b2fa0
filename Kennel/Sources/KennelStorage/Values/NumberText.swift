extension Int64 {
  /// Creates an id from decimal digits. Returns nil if the text is not a valid id.
  package init?(identifier text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text), number > 0
    else { return nil }
    self = number
  }
}

extension Int {
  /// A number of bytes as readable text, such as `64 KiB` or `25 MiB`. It uses only integral units because limits are
  /// round numbers.
  package var inBinaryUnits: String {
    var (number, unit) = (self, "bytes")
    for larger in ["KiB", "MiB", "GiB"] where number >= 1024 && number.isMultiple(of: 1024) {
      (number, unit) = (number / 1024, larger)
    }
    return "\(number) \(unit)"
  }
}
