import Foundation

/// Generates shell completions.
public struct Completions {
  /// The names that ``text(for:)`` accepts.
  public static let shells = ["bash", "zsh", "fish"]

  private let program: ProgramDescription

  /// Creates the completions of a program.
  public init(_ program: ProgramDescription) { self.program = program }

  private var name: String { program.name }
  /// The name of the shell function.
  private var function: String { "_" + name.replacing("-", with: "_") }

  /// Returns the script that the shell loads; nil for a shell that is not in ``shells``.
  public func text(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private var bash: String {
    var lines = ["# bash completions for \(name)", "\(function)() {"]
    lines += [
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}"
    ]
    lines += ["  COMPREPLY=()", "  if [ \"$COMP_CWORD\" = 1 ]; then"]
    let names = program.visible.map(\.name).joined(separator: " ")
    lines += ["    COMPREPLY=($(compgen -W '\(names) --help --version' -- \"$word\"))", "    return", "  fi"]
    lines += ["  case $command in"]
    for command in program.visible {
      lines += ["  \(command.name))", "    case $previous in"]
      for option in command.options where option.takesValue {
        let names = (["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])).joined(separator: "|")
        let action =
          switch option.completion {
          case .nothing: ":"
          case .files: "COMPREPLY=($(compgen -f -- \"$word\"))"
          case .choices(let choices):
            "COMPREPLY=($(compgen -W '\(choices.joined(separator: " "))' -- \"$word\"))"
          }
        lines.append("    \(names)) \(action); return ;;")
      }
      lines += ["    esac"]
      let options = command.options.map { "--\($0.name)" }.joined(separator: " ")
      lines += [
        "    if [[ $word == -* ]]; then", "      COMPREPLY=($(compgen -W '\(options)' -- \"$word\"))",
      ]
      switch command.completion {
      case .nothing: break
      case .files: lines += ["    else", "      COMPREPLY=($(compgen -f -- \"$word\"))"]
      case .choices(let choices):
        lines += [
          "    else", "      COMPREPLY=($(compgen -W '\(choices.joined(separator: " "))' -- \"$word\"))",
        ]
      }
      lines += ["    fi ;;"]
    }
    lines += ["  esac", "}", "complete -o filenames -F \(function) \(name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private var zsh: String {
    func quoted(_ text: String) -> String {
      text.replacingOccurrences(of: "'", with: "’").replacingOccurrences(of: "[", with: "\\[")
        .replacingOccurrences(of: "]", with: "\\]").replacing(
          ":", with: "\\:")
    }
    var lines = ["#compdef \(name)", "\(function)() {", "  local -a commands", "  commands=("]
    for command in program.visible { lines.append("    '\(command.name):\(quoted(command.summary))'") }
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi"]
    lines += ["  local command=$words[2]", "  shift words", "  (( CURRENT-- ))", "  case $command in"]
    for command in program.visible {
      lines.append("  \(command.name))")
      var parts: [String] = []
      for option in command.options {
        let star = option.isRepeatable ? "*" : ""
        let value = option.placeholder.map { placeholder in
          let action =
            switch option.completion {
            case .nothing: " "
            case .files: "_files"
            case .choices(let choices): "(\(choices.joined(separator: " ")))"
            }
          return ":\(quoted(placeholder)):\(action)"
        }
        parts.append("'\(star)--\(option.name)[\(quoted(option.summary))]\(value ?? "")'")
        if let short = option.short {
          parts.append("'\(star)-\(short)[\(quoted(option.summary))]\(value ?? "")'")
        }
      }
      let operands =
        switch command.completion {
        case .nothing: "'*:argument: '"
        case .files: "'*:file:_files'"
        case .choices(let choices): "'1:argument:(\(choices.joined(separator: " ")))'"
        }
      lines.append("    _arguments -s \\")
      lines += (parts + [operands]).map { "      \($0) \\" }
      lines += ["      && return ;;"]
    }
    lines += ["  esac", "}", "compdef \(function) \(name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private var fish: String {
    func quoted(_ text: String) -> String {
      text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "'", with: "\\'")
    }
    var lines = ["# fish completions for \(name)", "complete -c \(name) -f"]
    let isFirst = "-n __fish_use_subcommand"
    lines.append("complete -c \(name) \(isFirst) -l version -d 'show the version'")
    for command in program.visible {
      lines.append("complete -c \(name) \(isFirst) -a \(command.name) -d '\(quoted(command.summary))'")
      let isThis = "-n '__fish_seen_subcommand_from \(command.name)'"
      switch command.completion {
      case .nothing: break
      case .files: lines.append("complete -c \(name) \(isThis) -F")
      case .choices(let choices):
        lines.append("complete -c \(name) \(isThis) -a '\(choices.joined(separator: " "))'")
      }
      for option in command.options {
        var line = "complete -c \(name) \(isThis) -l \(option.name)"
        if let short = option.short { line += " -s \(short)" }
        switch option.completion {
        case .nothing where option.takesValue: line += " -x"
        case .nothing: break
        case .files: line += " -r -F"
        case .choices(let choices): line += " -x -a '\(choices.joined(separator: " "))'"
        }
        lines.append(line + " -d '\(quoted(option.summary))'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
