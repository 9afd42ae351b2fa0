/// The description of one command: the single source of its parser, help, manual page and completions.
package struct CommandDescription: Sendable {
  package struct Example: Sendable {
    package let text: String
    package let line: String

    package init(text: String, line: String) {
      self.text = text
      self.line = line
    }
  }

  package let name: String
  package let summary: String
  /// The operands as shown in the synopsis.
  package let operands: String
  /// The allowed number of operands.
  package let operandCount: ClosedRange<Int>
  /// The paragraphs of the detailed description.
  package let discussion: [String]
  package let options: [OptionDescription]
  package let examples: [Example]
  /// What a shell completes for the operands.
  package let completion: OptionDescription.Completion
  package let isHidden: Bool
  /// Whether the command runs until it is stopped. Stopping it with a signal is then not a failure.
  package let isService: Bool
  /// The option that makes this command a service; see ``isService``.
  package let serviceOption: String?

  package init(
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

  package func option(named name: String) -> OptionDescription? { options.first { $0.name == name } }
  package func option(short letter: Character) -> OptionDescription? { options.first { $0.short == letter } }
}
