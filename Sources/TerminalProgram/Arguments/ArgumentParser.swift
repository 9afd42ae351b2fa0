/// Parses the arguments of one command.
///
/// Accepts `--name value`, `--name=value`, `-n value`, `-nvalue`, and `-ab` for options without values. All arguments
/// after `--` are operands. A single hyphen is an operand.
public struct ArgumentParser {
  private let command: CommandDescription
  private var values: [String: [String]] = [:]
  private var operands: [String] = []

  private init(_ command: CommandDescription) { self.command = command }

  /// Parses the arguments after the command's name.
  ///
  /// Validates the number of operands, but not if `--help` was given.
  public static func parse(
    _ arguments: some Sequence<String>, for command: CommandDescription
  ) throws(UsageError) -> ParsedArguments {
    var parser = ArgumentParser(command)
    try parser.read(Array(arguments))
    return ParsedArguments(command: command.name, values: parser.values, operands: parser.operands)
  }

  private mutating func read(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      } else if argument.hasPrefix("--") {
        try readLong(argument.dropFirst(2), &rest)
      } else if argument.hasPrefix("-"), argument != "-" {
        try readShort(argument.dropFirst(), &rest)
      } else {
        operands.append(argument)
      }
    }
    // With --help, missing operands are not an error.
    guard values["help"] == nil else { return }
    if operands.count < command.operandCount.lowerBound {
      throw UsageError("The command \(command.name) needs “\(command.operands)”.")
    }
    if operands.count > command.operandCount.upperBound {
      let taken = command.operands.isEmpty ? "no arguments" : "only “\(command.operands)”"
      throw UsageError(
        "Unexpected argument “\(operands[command.operandCount.upperBound])”. "
          + "The command \(command.name) takes \(taken).")
    }
  }

  private mutating func readLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.option(named: name) else { throw unknown("--\(name)") }
    if parts.count == 2 {
      guard option.takesValue else { throw UsageError("--\(name) takes no value.") }
      try note(option, String(parts[1]))
    } else {
      try note(option, try value(of: option, &rest))
    }
  }

  private mutating func readShort(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = command.option(short: letter) else { throw unknown("-\(letter)") }
      if option.takesValue, !letters.isEmpty { return try note(option, String(letters)) }
      try note(option, try value(of: option, &rest))
    }
  }

  private func value(
    of option: OptionDescription, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard option.takesValue else { return "" }
    guard let value = rest.popFirst() else {
      throw UsageError("--\(option.name) needs a value: \(option.placeholder ?? "").")
    }
    return value
  }

  private mutating func note(_ option: OptionDescription, _ value: String) throws(UsageError) {
    if option.takesValue, !option.isRepeatable, values[option.name] != nil {
      throw UsageError("--\(option.name) can be given only once.")
    }
    if case .choices(let choices) = option.completion, option.takesValue, !choices.contains(value) {
      throw UsageError("--\(option.name) must be one of \(choices.joined(separator: ", ")), not “\(value)”.")
    }
    values[option.name, default: []].append(value)
  }

  private func unknown(_ option: String) -> UsageError {
    let name = option.drop { $0 == "-" }
    let nearest = Spelling.nearest(to: String(name), among: command.options.map(\.name))
    let hint = nearest.map { " Did you mean --\($0)?" } ?? ""
    return UsageError("The command \(command.name) has no option \(option).\(hint)")
  }
}
