/// The text that `--help` prints.
public struct HelpText {
  private let program: ProgramDescription

  /// Creates the help texts of a program.
  public init(_ program: ProgramDescription) { self.program = program }

  /// Returns the help of the program, with its visible commands. `width` is in columns.
  public func overview(width: Int = 80) -> String {
    var lines = [
      "Usage: \(program.name) \(program.synopsis)", "", "\(program.name): \(program.summary)", "",
      "Commands:",
    ]
    let column = (program.visible.map(\.name.count).max() ?? 0) + 4
    for command in program.visible {
      lines += entry(command.name, command.summary, column: column, width: width)
    }
    lines += ["", "Options:"]
    lines += entry(
      "-h, --help", "show this help, or the help for a command", column: column + 4, width: width)
    lines += entry("--version", "show the version", column: column + 4, width: width)
    lines += ["", "Run “\(program.name) COMMAND --help” or “man \(program.name)” for more information."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the help of one command, which may be hidden. `width` is in columns; examples are not wrapped.
  public func text(of command: CommandDescription, width: Int = 80) -> String {
    var lines = [
      "Usage: \(program.name) \(command.name) [OPTION…]"
        + (command.operands.isEmpty ? "" : " \(command.operands)"), "",
    ]
    lines += wrapped("\(command.name): \(command.summary).", width: width)
    for paragraph in command.discussion { lines += [""] + wrapped(paragraph, width: width) }
    lines += ["", "Options:"]
    for option in command.options {
      lines += entry(label(of: option), option.summary, column: 28, width: width)
    }
    if !command.examples.isEmpty { lines += ["", "Examples:"] }
    for example in command.examples { lines += ["  \(example.text):", "    \(example.line)"] }
    return lines.joined(separator: "\n") + "\n"
  }

  private func label(of option: OptionDescription) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    return short + "--\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
  }

  private func entry(_ label: String, _ text: String, column: Int, width: Int) -> [String] {
    let start = "  " + label
    let rest = wrapped(text, width: width - column)
    let indent = String(repeating: " ", count: column)
    // A label that is too long gets its own line.
    if start.count + 2 > column { return [start] + rest.map { indent + $0 } }
    return rest.enumerated().map { index, line in
      index == 0 ? start + String(repeating: " ", count: column - start.count) + line : indent + line
    }
  }

  private func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, DisplayText.width(line) + 1 + DisplayText.width(String(word)) > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
