import Foundation
import TerminalProgram
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(1))) struct ManualTests {
  private let program = KennelProgram.description
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/man/kennel.1")

  @Test func theManualIsUpToDate() throws {
    let isUpToDate = try String(contentsOf: Self.page, encoding: .utf8) == ManualPage(program).text
    #expect(isUpToDate, "run: swift run kennel generate-manual > docs/man/kennel.1")
  }

  @Test func theManualNamesAllThereIs() {
    let text = ManualPage(program).text
    for command in program.visible {
      #expect(text.contains("kennel \(command.name)"))
      for option in command.options { #expect(text.contains("\\-\\-" + ManualPage.escaped(option.name))) }
    }
    for exit in program.exits { #expect(text.contains("\n\(exit.status.rawValue)\n")) }
    for setting in Setting.serving { #expect(text.contains(setting.variable)) }
  }

  @Test func everyCommandHasHelpThatFitsATerminal() {
    for command in program.visible {
      let text = HelpText(program).text(of: command)
      for option in command.options { #expect(text.contains("--\(option.name)")) }
      let lines = text.components(separatedBy: "\nExamples:")[0].split(separator: "\n")
      for line in lines { #expect(DisplayText.width(String(line)) <= 80, "\(line)") }
    }
  }

  @Test func shellsCompleteWhatCanBeDoneWithUsers() throws {
    let directory = try TemporaryDirectory()
    let text = try #require(Completions(program).text(for: "bash"))
    let file = try directory.write(Data(text.utf8), to: "completions")
    let script = "source '\(file.path)'; COMP_WORDS=(kennel user pass); COMP_CWORD=2; _kennel; "
    #expect(
      try ChildProcess.run(["bash", "-c", script + "echo ${COMPREPLY[@]}"])
        .trimmingCharacters(in: .whitespacesAndNewlines) == "password")
  }
}
