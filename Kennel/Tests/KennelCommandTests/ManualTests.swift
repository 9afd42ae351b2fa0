import TerminalProgram
import TerminalTestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct ManualTests {
  private let checks = ManualChecks(
    KennelProgram.description, generating: ".build/debug/kennel generate-manual > docs/man/kennel.1")

  @Test func theManualIsUpToDate() throws {
    #expect(try checks.outdated() == [])
  }

  @Test func `the manual names all commands, options and variables`() {
    #expect(checks.missingInManual() == [])
    let text = ManualPage(KennelProgram.description).text
    for setting in Setting.serving { #expect(text.contains(setting.variable)) }
  }

  @Test func everyCommandHasHelpThatFitsATerminal() {
    #expect(checks.faultsOfHelp() == [])
  }

  @Test func completionsNameEveryOption() {
    #expect(checks.missingInCompletions() == [])
  }

  @Test func `shells complete the actions of the user command`() throws {
    #expect(try checks.bashCompletion(of: "kennel user pass") == "password")
  }
}
