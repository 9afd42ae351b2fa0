/// The arguments of a command, checked against its description.
package struct ParsedArguments: Sendable {
  package let command: String
  /// The values of each option, in the order given.
  package let values: [String: [String]]
  package let operands: [String]

  package init(command: String, values: [String: [String]], operands: [String]) {
    self.command = command
    self.values = values
    self.operands = operands
  }

  package func has(_ option: String) -> Bool { values[option] != nil }
  package func value(_ option: String) -> String? { values[option]?.last }
  package func all(_ option: String) -> [String] { values[option] ?? [] }
}

/// An invalid command line. The message says what is wrong and what to do.
package struct UsageError: Error, Sendable, Equatable {
  package let message: String
  package init(_ message: String) { self.message = message }
}
