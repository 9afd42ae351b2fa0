/// One command: the single source of its parser, help, manual and completions.
package struct CommandDescription: Sendable {
  package struct Example: Sendable {
    package let text: String
    package let line: String
  }

  package let name: String
  package let summary: String
  /// How its operands are written in a synopsis.
  package let operands: String
  /// How many there may be.
  package let operandCount: ClosedRange<Int>
  /// Paragraphs.
  package let discussion: [String]
  package let options: [OptionDescription]
  package let examples: [Example]
  /// Whether files are offered for the operands.
  package let completesFiles: Bool
  package let isHidden: Bool

  package init(
    _ name: String, _ summary: String, operands: String, count: ClosedRange<Int>, discussion: [String],
    options: [OptionDescription], examples: [Example] = [], completesFiles: Bool = false,
    isHidden: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    operandCount = count
    self.discussion = discussion
    self.options = options
    self.examples = examples
    self.completesFiles = completesFiles
    self.isHidden = isHidden
  }

  func option(named name: String) -> OptionDescription? { options.first { $0.name == name } }
  func option(short letter: Character) -> OptionDescription? { options.first { $0.short == letter } }
}
