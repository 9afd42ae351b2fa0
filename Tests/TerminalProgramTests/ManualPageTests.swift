import TerminalProgram
import Testing

@Suite struct ManualPageTests {
  private static let output = OptionDescription(
    "output", short: "o", value: "FILE", completion: .files, "the output")
  private let program = ProgramDescription(
    "fetch", version: "1.2", summary: "fetch things",
    commands: [
      CommandDescription(
        "get-all", "get all things", operands: "URL", count: 1...1,
        discussion: [".a line that begins with a dot"],
        options: [output], examples: [.init(text: "Get", line: "fetch get-all \\n")]),
      CommandDescription(
        "secret", "hidden", operands: "", count: 0...0, discussion: [], options: [], isHidden: true),
    ], environment: [.init("FETCH_HOME", "the home")], exits: [.init(.usage, "a mistake")],
    sections: [.init("NOTES", ["one", "two"])])

  @Test func `text is escaped for roff`() {
    #expect(ManualPage.escaped("a-b\\c") == "a\\-b\\ec")
    #expect(ManualPage.escaped(".PP") == "\\&.PP")
    #expect(ManualPage.escaped("'quoted'") == "\\&'quoted'")
    #expect(ManualPage.escaped("a.b'c") == "a.b'c")
  }

  @Test func `the page lists everything but hidden commands and empty sections`() {
    let lines = ManualPage(program).text.split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
    for line in [
      ".TH FETCH 1 \"\" \"fetch 1.2\" \"User Commands\"", ".SS fetch get\\-all [OPTION…] URL",
      "Get all things.",
      "\\&.a line that begins with a dot", "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR",
      "fetch get\\-all \\en",
      ".SH ENVIRONMENT", "FETCH_HOME", "2", "a mistake", ".SH NOTES",
    ] { #expect(lines.contains(line), "\(line)") }
    #expect(!lines.contains(".SH FILES"))
    #expect(!lines.contains { $0.contains("secret") })
  }

  @Test func `help shows visible commands, and wraps to its width`() throws {
    let help = HelpText(program)
    #expect(help.overview().contains("\n  get-all  get all things\n"))
    #expect(!help.overview().contains("secret"))
    let text = help.text(of: try #require(program.command(named: "get-all")), width: 40)
    #expect(text.contains("\n  -o, --output FILE         the output\n"))
    #expect(text.contains("\n    fetch get-all \\n\n"))
    #expect(text.hasPrefix("Usage: fetch get-all [OPTION…] URL\n\nget-all: get all things.\n"))
  }

  @Test func `every shell has completions with the commands and options, and other shells have none`() {
    for shell in Completions.shells {
      let text = Completions(program).text(for: shell) ?? ""
      #expect(text.contains("get-all") && text.contains("output") && !text.contains("secret"), "\(shell)")
    }
    #expect(Completions(program).text(for: "tcsh") == nil)
  }
}
