/// The description of one command: the single source of its parser, help, manual page and completions.
public struct CommandDescription: Sendable {
  /// An example call in the help and the manual page.
  public struct Example: Sendable {
    /// What the example does, without a final colon.
    public let text: String
    /// The complete command line, with the program's name.
    public let line: String

    /// Creates an example from its explanation and its command line.
    public init(text: String, line: String) {
      self.text = text
      self.line = line
    }
  }

  /// The word that selects the command: the program's first argument.
  public let name: String
  /// One phrase that starts in lowercase and has no final period.
  public let summary: String
  /// The operands as shown in the synopsis.
  public let operands: String
  /// The allowed number of operands.
  public let operandCount: ClosedRange<Int>
  /// The paragraphs of the detailed description.
  public let discussion: [String]
  /// All options, including `help`, in the order of the help.
  public let options: [OptionDescription]
  /// The examples, in the order of the help.
  public let examples: [Example]
  /// What a shell completes for the operands.
  public let completion: OptionDescription.Completion
  /// Whether the help, the manual page and the completions omit the command. It can still be called.
  public let isHidden: Bool
  /// Whether the command runs until it is stopped. Stopping it with a signal is then not a failure.
  public let isService: Bool
  /// The option that makes this command a service; see ``isService``.
  public let serviceOption: String?

  /// Creates a command. `count` is the allowed number of operands.
  public init(
    _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>, discussion: [String],
    options: [OptionDescription], examples: [Example] = [],
    completion: OptionDescription.Completion = .nothing, isHidden: Bool = false, isService: Bool = false,
    serviceOption: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    operandCount = count
    self.discussion = discussion
    self.options = options
    self.examples = examples
    self.completion = completion
    self.isHidden = isHidden
    self.isService = isService
    self.serviceOption = serviceOption
  }

  /// Returns whether the command runs until it is stopped when called with these arguments.
  func isService(given arguments: some Sequence<String>) -> Bool {
    isService || serviceOption.map { option in arguments.contains("--" + option) } ?? false
  }

  /// Returns the option with this name, given without hyphens; nil if there is none.
  public func option(named name: String) -> OptionDescription? { options.first { $0.name == name } }
  /// Returns the option with this single-letter form, which is case-sensitive; nil if there is none.
  public func option(short letter: Character) -> OptionDescription? { options.first { $0.short == letter } }
}

/// The description of one option of a command, used by the parser, the help, the manual page and the completions.
public struct OptionDescription: Sendable, Hashable {
  /// What a shell completes for the value of an option.
  public enum Completion: Sendable, Hashable {
    case nothing
    case files
    case choices([String])
  }

  /// The name without the two hyphens.
  public let name: String
  /// The single-letter form of the option, if it has one.
  public let short: Character?
  /// The placeholder of the value in help texts; nil for an option without a value.
  public let placeholder: String?
  /// One phrase for the help and the manual page, without a final period.
  public let summary: String
  /// Whether an option with a value may occur more than once. An option without a value may always be repeated.
  public let isRepeatable: Bool
  /// What a shell completes for the value. With choices, the parser rejects all other values.
  public let completion: Completion

  /// Creates an option. Without a placeholder for the value, the option takes no value.
  public init(
    _ name: String, short: Character? = nil, value placeholder: String? = nil, isRepeatable: Bool = false,
    completion: Completion = .nothing, _ summary: String
  ) {
    self.name = name
    self.short = short
    self.placeholder = placeholder
    self.isRepeatable = isRepeatable
    self.completion = completion
    self.summary = summary
  }

  /// Whether a value must follow the option.
  public var takesValue: Bool { placeholder != nil }
}
