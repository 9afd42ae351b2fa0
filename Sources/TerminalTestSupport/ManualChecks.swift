import Foundation
import TerminalProgram
import TestSupport

/// What holds for the manual, help and completions of every program. Each check returns what does not hold.
package struct ManualChecks {
  private let program: ProgramDescription
  private let page: URL
  private let generating: String

  /// - Parameters:
  ///   - generating: the command that writes the page; it is to be done in the checkout.
  ///   - file: a file of the tests of a module in the checkout's `Tests`.
  package init(_ program: ProgramDescription, generating: String, file: String = #filePath) {
    self.program = program
    self.generating = generating
    page = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/man/\(program.name).1")
  }

  /// Whether the page in the checkout is what would be written today.
  package func outdated() throws -> [String] {
    let isUpToDate = try String(contentsOf: page, encoding: .utf8) == ManualPage(program).text
    return isUpToDate ? [] : ["docs/man/\(program.name).1 is out of date; run: \(generating)"]
  }

  /// Commands, options and statuses that the manual does not name.
  package func missingInManual() -> [String] {
    let text = ManualPage(program).text
    let commands = program.visible.flatMap { command in
      ["\(program.name) \(command.name)"]
        + command.options.map { "\\-\\-" + ManualPage.escaped($0.name) }
    }
    return (commands + program.exits.map { "\n\($0.status.rawValue)\n" }).filter { !text.contains($0) }
  }

  /// Options that help does not name, and lines of it that are wider than a terminal.
  package func faultsOfHelp() -> [String] {
    program.visible.flatMap { command in
      let text = HelpText(program).text(of: command)
      let missing = command.options.map { "--\($0.name)" }.filter { !text.contains($0) }
      let lines = text.components(separatedBy: "\nExamples:")[0].split(separator: "\n").map(String.init)
      return missing + lines.filter { DisplayText.width($0) > 80 }
    }
  }

  /// Commands and options that the completions of a shell do not name.
  package func missingInCompletions() -> [String] {
    Completions.shells.flatMap { shell in
      let text = Completions(program).text(for: shell) ?? ""
      return program.visible.flatMap { [$0.name] + $0.options.map(\.name) }
        .filter { !text.contains($0) }.map { "\(shell): \($0)" }
    }
  }

  /// What bash offers for the last of some words.
  package func bashCompletion(of words: String) throws -> String {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      Data((Completions(program).text(for: "bash") ?? "").utf8), to: "completions")
    let script =
      "source '\(file.path)'; COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _\(program.name); "
    return try ChildProcess.run(["bash", "-c", script + "echo ${COMPREPLY[@]}"])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
