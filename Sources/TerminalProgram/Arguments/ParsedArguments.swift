/// What a command line says, checked against the description of its command.
package struct ParsedArguments: Sendable {
  package let command: String
  /// In the order they were given.
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

/// A command line that makes no sense; the sentence says why, and what to do.
package struct UsageError: Error, Sendable, Equatable {
  package let message: String
  package init(_ message: String) { self.message = message }
}
