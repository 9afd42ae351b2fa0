import TerminalProgram
import Testing

@Suite struct ArgumentParserTests {
  private let command = CommandDescription(
    "fetch", "fetch things", operands: "URL…", count: 1...2, discussion: [],
    options: [
      OptionDescription("output", short: "o", value: "FILE", "the output"),
      OptionDescription("header", short: "H", value: "FIELD", isRepeatable: true, "a field"),
      OptionDescription("quiet", short: "q", "print nothing"),
      OptionDescription("verbose", short: "v", "print everything"),
      OptionDescription("help", short: "h", "help"),
      OptionDescription("format", value: "FORMAT", completion: .choices(["a", "b"]), "the format"),
    ])

  private func parse(_ arguments: String...) throws -> ParsedArguments {
    try ArgumentParser.parse(arguments, for: command)
  }

  private func problem(_ arguments: String...) -> String? {
    do {
      _ = try ArgumentParser.parse(arguments, for: command)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `a value follows a blank, an equals sign or the option's letter`() throws {
    for arguments in [["--output", "x"], ["--output=x"], ["-o", "x"], ["-ox"]] {
      let parsed = try ArgumentParser.parse(arguments + ["url"], for: command)
      #expect(parsed.value("output") == "x", "\(arguments)")
      #expect(parsed.operands == ["url"])
    }
    #expect(try parse("--output=a=b", "url").value("output") == "a=b")
    #expect(try parse("--output=", "url").value("output") == "")
  }

  @Test func `letters of options without values can be combined`() throws {
    let parsed = try parse("-qvofile", "url")
    #expect(parsed.has("quiet") && parsed.has("verbose"))
    #expect(parsed.value("output") == "file")
  }

  @Test func `a repeatable option keeps its order, and another one with a value is refused twice`() throws {
    #expect(try parse("-H", "a", "url", "--header", "b").all("header") == ["a", "b"])
    #expect(problem("-o", "a", "-o", "b", "url") == "--output can be given only once.")
    #expect(try parse("-q", "-q", "url").has("quiet"))
  }

  @Test func `everything after two hyphens is an operand, and so is a single hyphen`() throws {
    #expect(try parse("--", "-q").operands == ["-q"])
    #expect(try parse("-").operands == ["-"])
  }

  @Test func `a value may look like an option`() throws {
    #expect(try parse("-o", "-", "url").value("output") == "-")
    #expect(try parse("--header", "--x", "url").all("header") == ["--x"])
  }

  @Test func `an error names the mistake`() {
    #expect(
      problem("--outptu", "x", "url") == "The command fetch has no option --outptu. Did you mean --output?")
    #expect(problem("-z", "url") == "The command fetch has no option -z.")
    #expect(problem("--quiet=1", "url") == "--quiet takes no value.")
    #expect(problem("url", "--output") == "--output needs a value: FILE.")
    #expect(problem() == "The command fetch needs “URL…”.")
    #expect(problem("a", "b", "c") == "Unexpected argument “c”. The command fetch takes only “URL…”.")
    let silent = CommandDescription("look", "look", operands: "", count: 0...0, discussion: [], options: [])
    #expect(throws: UsageError("Unexpected argument “a”. The command look takes no arguments.")) {
      try ArgumentParser.parse(["a"], for: silent)
    }
    #expect(problem("--format", "c", "url") == "--format must be one of a, b, not “c”.")
  }

  @Test func `a missing operand is not an error with --help`() throws {
    #expect(try parse("--help").has("help"))
  }
}
