/// The arguments of a command, checked against its description.
public struct ParsedArguments: Sendable {
  /// The name of the command.
  public let command: String
  /// The values of each option, in the order given.
  public let values: [String: [String]]
  /// The arguments that are not options, in the order given.
  public let operands: [String]

  /// Creates arguments without validating them. The keys of `values` are the options' names without hyphens.
  public init(command: String, values: [String: [String]], operands: [String]) {
    self.command = command
    self.values = values
    self.operands = operands
  }

  /// Whether the option was given, with or without a value.
  public func has(_ option: String) -> Bool { values[option] != nil }
  /// Returns the last value of the option: empty if it takes no value, nil if it was not given.
  public func value(_ option: String) -> String? { values[option]?.last }
  /// Returns all values of the option in the order given; empty if it was not given.
  public func all(_ option: String) -> [String] { values[option] ?? [] }
}

/// An invalid command line. The message says what is wrong and what to do.
public struct UsageError: Error, Sendable, Equatable {
  /// Complete sentences, without the program's name.
  public let message: String
  /// Creates an error with this message.
  public init(_ message: String) { self.message = message }
}

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
