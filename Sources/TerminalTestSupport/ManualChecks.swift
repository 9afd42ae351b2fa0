import Foundation
import TerminalProgram
import TestSupport

/// Checks the manual page, help and completions of a program. Each check returns the faults it finds.
package struct ManualChecks {
  private let program: ProgramDescription
  private let page: URL
  private let generating: String

  /// - Parameters:
  ///   - generating: The command that regenerates the page, run in the checkout.
  ///   - file: The path of a test file directly in a module's folder in `Tests`.
  package init(_ program: ProgramDescription, generating: String, file: String = #filePath) {
    self.program = program
    self.generating = generating
    page = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/man/\(program.name).1")
  }

  /// Returns an error message if the page in the checkout is not up to date.
  package func outdated() throws -> [String] {
    let isUpToDate = try String(contentsOf: page, encoding: .utf8) == ManualPage(program).text
    return isUpToDate ? [] : ["docs/man/\(program.name).1 is out of date; run: \(generating)"]
  }

  /// Returns the commands, options and statuses that are missing from the manual page.
  package func missingInManual() -> [String] {
    let text = ManualPage(program).text
    let commands = program.visible.flatMap { command in
      ["\(program.name) \(command.name)"]
        + command.options.map { "\\-\\-" + ManualPage.escaped($0.name) }
    }
    return (commands + program.exits.map { "\n\($0.status.rawValue)\n" }).filter { !text.contains($0) }
  }

  /// Returns options that are missing from the help, and lines of the help that are wider than 80 columns.
  package func faultsOfHelp() -> [String] {
    program.visible.flatMap { command in
      let text = HelpText(program).text(of: command)
      let missing = command.options.map { "--\($0.name)" }.filter { !text.contains($0) }
      let lines = text.components(separatedBy: "\nExamples:")[0].split(separator: "\n").map(String.init)
      return missing + lines.filter { DisplayText.width($0) > 80 }
    }
  }

  /// Returns commands and options that are missing from the completions of a shell.
  package func missingInCompletions() -> [String] {
    Completions.shells.flatMap { shell in
      let text = Completions(program).text(for: shell) ?? ""
      return program.visible.flatMap { [$0.name] + $0.options.map(\.name) }
        .filter { !text.contains($0) }.map { "\(shell): \($0)" }
    }
  }

  /// Returns what bash completes for the last of the words.
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
