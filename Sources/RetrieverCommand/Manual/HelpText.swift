import Retriever

/// The help that `--help` shows.
package enum HelpText {
  package static let version = "retriever \(URLSession.libraryVersion)"

  package static func overview(width: Int = 80) -> String {
    var lines = ["Usage: \(CommandList.synopsis)", "", "retriever: \(CommandList.summary)", "", "Commands:"]
    let column = (CommandList.visible.map(\.name.count).max() ?? 0) + 4
    for command in CommandList.visible {
      lines += entry(command.name, command.summary, column: column, width: width)
    }
    lines += ["", "Options:"]
    lines += entry(
      "-h, --help", "show this, or what a command does and takes", column: column + 4, width: width)
    lines += entry("--version", "show the version", column: column + 4, width: width)
    lines += ["", "retriever COMMAND --help tells more; so does man retriever."]
    return lines.joined(separator: "\n") + "\n"
  }

  package static func text(of command: CommandDescription, width: Int = 80) -> String {
    var lines = ["Usage: retriever \(command.name) [OPTION…] \(command.operands)", ""]
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

  static func label(of option: OptionDescription) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    return short + "--\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
  }

  private static func entry(_ label: String, _ text: String, column: Int, width: Int) -> [String] {
    let start = "  " + label
    let rest = wrapped(text, width: width - column)
    let indent = String(repeating: " ", count: column)
    // A label that is too long has a line of its own.
    if start.count + 2 > column { return [start] + rest.map { indent + $0 } }
    return rest.enumerated().map { index, line in
      index == 0 ? start + String(repeating: " ", count: column - start.count) + line : indent + line
    }
  }

  static func wrapped(_ text: String, width: Int) -> [String] {
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
