// Typed option values. An invalid value is a usage error that names the option.
extension ParsedArguments {
  /// Returns an integer; the default if the option was not given. A value outside the range is an error.
  public func integer(_ option: String, in range: ClosedRange<Int>, default usual: Int) throws(UsageError)
    -> Int
  {
    guard let text = value(option) else { return usual }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "--\(option) must be a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”.")
    }
    return number
  }

  /// Returns a number of seconds, possibly with a fraction; nil if the option was not given.
  public func seconds(_ option: String) throws(UsageError) -> Double? {
    guard let text = value(option) else { return nil }
    guard let number = Double(text), number.isFinite, number > 0, number <= 1e8 else {
      throw UsageError("--\(option) must be a number of seconds, not “\(text)”.")
    }
    return number
  }

  /// Returns a number of bytes. The suffixes k, M, G and T are powers of 1,000; Ki, Mi, Gi and Ti are powers of
  /// 1,024.
  public func byteCount(_ option: String) throws(UsageError) -> Int64? {
    guard let text = value(option) else { return nil }
    guard let count = Self.byteCount(text) else {
      throw UsageError("--\(option) must be a number of bytes such as 500k, 10M or 2Gi, not “\(text)”.")
    }
    return count
  }

  /// Returns the number of bytes in a text such as `500k`, `10MB` or `2Gi`; nil if it is not valid or does not fit.
  ///
  /// The suffixes k, M, G and T are powers of 1,000; Ki, Mi, Gi and Ti are powers of 1,024. Case is ignored, and a
  /// final `B` is allowed.
  public static func byteCount(_ text: String) -> Int64? {
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
