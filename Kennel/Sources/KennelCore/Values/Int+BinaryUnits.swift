extension Int {
  /// A number of bytes as readable text, such as `64 KiB` or `25 MiB`. It uses only integral units because limits are
  /// round numbers.
  var inBinaryUnits: String {
    var (number, unit) = (self, "bytes")
    for larger in ["KiB", "MiB", "GiB"] where number >= 1024 && number.isMultiple(of: 1024) {
      (number, unit) = (number / 1024, larger)
    }
    return "\(number) \(unit)"
  }
}
