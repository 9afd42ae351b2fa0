import Foundation
import TerminalProgram
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(1))) struct ManualTests {
  private let program = CommandList.program
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/man/retriever.1")

  @Test func theManualIsUpToDate() throws {
    let isUpToDate = try String(contentsOf: Self.page, encoding: .utf8) == ManualPage(program).text
    #expect(isUpToDate, "run: swift run retriever generate-manual > docs/man/retriever.1")
  }

  @Test func theManualNamesAllThereIs() {
    for command in program.visible {
      #expect(ManualPage(program).text.contains("retriever \(command.name)"))
      for option in command.options {
        #expect(ManualPage(program).text.contains("\\-\\-" + ManualPage.escaped(option.name)))
      }
    }
    for exit in program.exits {
      #expect(ManualPage(program).text.contains("\n\(exit.status.rawValue)\n"))
    }
  }

  @Test func everyCommandHasHelpThatFitsATerminal() {
    for command in program.visible {
      let text = HelpText(program).text(of: command)
      for option in command.options { #expect(text.contains("--\(option.name)")) }
      let lines = text.components(separatedBy: "\nExamples:")[0].split(separator: "\n")
      for line in lines { #expect(DisplayText.width(String(line)) <= 80, "\(line)") }
    }
    #expect(HelpText(program).overview().contains("download"))
  }

  @Test func bashReadsItsCompletions() throws {
    let directory = try TemporaryDirectory()
    let text = try #require(Completions(program).text(for: "bash"))
    let file = try directory.write(Data(text.utf8), to: "completions")
    let script = "source '\(file.path)'; COMP_WORDS=(retriever download --res); COMP_CWORD=2; _retriever; "
    #expect(
      try ChildProcess.run(["bash", "-c", script + "echo ${COMPREPLY[@]}"])
        .trimmingCharacters(in: .whitespacesAndNewlines) == "--resume")
  }

  @Test func completionsNameEveryOption() throws {
    for shell in Completions.shells {
      let text = try #require(Completions(program).text(for: shell))
      for command in program.visible {
        #expect(text.contains(command.name))
        for option in command.options { #expect(text.contains(option.name), "\(shell): \(option.name)") }
      }
    }
    #expect(Completions(program).text(for: "tcsh") == nil)
  }
}
