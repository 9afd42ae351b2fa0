import TerminalProgram
import TerminalTestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(1))) struct ManualTests {
  private let program = CommandList.program
  private let checks = ManualChecks(
    CommandList.program, generating: "swift run retriever generate-manual > docs/man/retriever.1")

  @Test func theManualIsUpToDate() throws {
    #expect(try checks.outdated() == [])
  }

  @Test func theManualNamesAllThereIs() {
    #expect(checks.missingInManual() == [])
  }

  @Test func everyCommandHasHelpThatFitsATerminal() {
    #expect(checks.faultsOfHelp() == [])
    #expect(HelpText(program).overview().contains("download"))
  }

  @Test func completionsNameEveryOption() {
    #expect(checks.missingInCompletions() == [])
    #expect(Completions(program).text(for: "tcsh") == nil)
  }

  @Test func bashReadsItsCompletions() throws {
    #expect(try checks.bashCompletion(of: "retriever download --res") == "--resume")
  }
}
