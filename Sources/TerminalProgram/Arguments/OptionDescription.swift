/// One option of a command: all that the parser, the help, the manual and the completions know of it.
package struct OptionDescription: Sendable, Hashable {
  /// What a shell offers for the value of an option.
  package enum Completion: Sendable, Hashable {
    case nothing
    case files
    case choices([String])
  }

  /// Without the two hyphens.
  package let name: String
  /// The letter that stands for it; nil without one.
  package let short: Character?
  /// What its value is called; nil for an option that has none.
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
