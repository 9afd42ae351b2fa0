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
