extension Int {
  /// A number of bytes as people read it: `64 KiB`, `25 MiB`. Whole units only: it is for limits, which are round.
  var inBinaryUnits: String {
    var (number, unit) = (self, "bytes")
    for larger in ["KiB", "MiB", "GiB"] where number >= 1024 && number.isMultiple(of: 1024) {
      (number, unit) = (number / 1024, larger)
    }
    return "\(number) \(unit)"
  }
}
