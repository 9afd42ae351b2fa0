/// The description of one option of a command, used by the parser, the help, the manual page and the completions.
package struct OptionDescription: Sendable, Hashable {
  /// What a shell completes for the value of an option.
  package enum Completion: Sendable, Hashable {
    case nothing
    case files
    case choices([String])
  }

  /// The name without the two hyphens.
  package let name: String
  /// The single-letter form of the option, if it has one.
  package let short: Character?
  /// The placeholder of the value in help texts; nil for an option without a value.
  package let placeholder: String?
  package let summary: String
  package let isRepeatable: Bool
  package let completion: Completion

  package init(
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

  package var takesValue: Bool { placeholder != nil }
}
