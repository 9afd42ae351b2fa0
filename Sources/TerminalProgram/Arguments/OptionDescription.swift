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
