// Values as the commands need them; what cannot be understood is a usage error that names the option.
extension ParsedArguments {
  package func integer(_ option: String, in range: ClosedRange<Int>, default usual: Int) throws(UsageError)
    -> Int
  {
    guard let text = value(option) else { return usual }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "--\(option) is a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
    }
    return number
  }

  /// Seconds, with a fraction if need be; nil when it was not given.
  package func seconds(_ option: String) throws(UsageError) -> Double? {
    guard let text = value(option) else { return nil }
    guard let number = Double(text), number.isFinite, number > 0, number <= 1e8 else {
      throw UsageError("--\(option) is a number of seconds, not “\(text)”")
    }
    return number
  }

  /// Bytes: a number, with k, M, G or T (thousands) or Ki, Mi, Gi, Ti (1,024s) behind it.
  package func byteCount(_ option: String) throws(UsageError) -> Int64? {
    guard let text = value(option) else { return nil }
    guard let count = Self.byteCount(text) else {
      throw UsageError("--\(option) is a number of bytes such as 500k, 10M or 2Gi, not “\(text)”")
    }
    return count
  }

  package static func byteCount(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let factors: [String: Int64] = [
      "": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000,
      "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40,
    ]
    var unit = text.dropFirst(digits.count).lowercased()
    if unit.hasSuffix("b") { unit.removeLast() }
    guard let number = Int64(digits), let factor = factors[unit] else { return nil }
    let (product, isTooMuch) = number.multipliedReportingOverflow(by: factor)
    return isTooMuch ? nil : product
  }
}
