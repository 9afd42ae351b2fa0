import Foundation
import TerminalProgram
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct ManualTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("docs/man/adopt.1")
  private let program = CommandList.program

  @Test func `the manual is up to date`() throws {
    let isUpToDate = try String(contentsOf: Self.page, encoding: .utf8) == ManualPage(program).text
    #expect(isUpToDate, "run: swift run --package-path Adopt adopt generate-manual > docs/man/adopt.1")
  }

  @Test func `the manual contains all commands, options and exit statuses`() {
    let text = ManualPage(program).text
    for command in program.visible {
      #expect(text.contains("adopt \(command.name)"))
      for option in command.options { #expect(text.contains("\\-\\-" + ManualPage.escaped(option.name))) }
    }
    for exit in program.exits { #expect(text.contains("\n\(exit.status.rawValue)\n")) }
  }

  @Test func `the help of every command fits a terminal`() {
    for command in program.visible {
      let text = HelpText(program).text(of: command)
      for option in command.options { #expect(text.contains("--\(option.name)")) }
      let lines = text.components(separatedBy: "\nExamples:")[0].split(separator: "\n")
      for line in lines { #expect(DisplayText.width(String(line)) <= 80, "\(line)") }
    }
    #expect(HelpText(program).overview().contains("alternatives"))
  }

  @Test func `bash completes kinds, options and commands`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(try #require(Completions(program).text(for: "bash")), to: "completions")
    let words = [
      ("adopt check --skip ne", "never"), ("adopt check --write", "--write-baseline"),
      ("adopt alt", "alternatives"),
    ]
    for (line, expected) in words {
      let script =
        "source completions; COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _adopt; echo ${COMPREPLY[@]}"
      let result = try await scratch.run(["/bin/bash", "-c", script])
      #expect(result.output == expected + "\n", "\(line) \(result.errors)")
    }
  }
}
