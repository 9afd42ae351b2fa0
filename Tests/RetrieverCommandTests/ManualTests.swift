import TerminalProgram
import TerminalTestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct ManualTests {
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
  }

  @Test func `every command has help and no option twice`() {
    for command in CommandList.all {
      #expect(command.option(named: "help") != nil, "\(command.name)")
      #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
      let letters = command.options.compactMap(\.short)
      #expect(Set(letters).count == letters.count, "\(command.name): \(letters)")
    }
  }

  @Test func `the help of strip names the formats whose metadata it removes`() throws {
    let command = try #require(CommandList.all.first { $0.name == "strip" })
    let text = command.discussion.joined(separator: " ")
    for name in ["JPEG", "PNG", "WebP", "GIF", "HEIC", "AVIF", "MP4", "QuickTime"] {
      #expect(text.contains(name), "\(name)")
    }
  }

  @Test func bashReadsItsCompletions() throws {
    #expect(try checks.bashCompletion(of: "retriever download --res") == "--resume")
  }
}
