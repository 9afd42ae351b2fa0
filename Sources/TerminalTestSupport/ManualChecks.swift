import Foundation
import TerminalProgram
import TestSupport

/// Checks the manual page, help and completions of a program. Each check returns the faults it finds.
public struct ManualChecks {
  private let program: ProgramDescription
  private let page: URL
  private let generating: String

  /// - Parameters:
  ///   - generating: The command that regenerates the page, run in the checkout.
  ///   - file: The path of a test file in the checkout.
  public init(_ program: ProgramDescription, generating: String, file: String = #filePath) {
    self.program = program
    self.generating = generating
    var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    let manual = "docs/man/\(program.name).1"
    let isHere = { FileManager.default.fileExists(atPath: folder.appendingPathComponent(manual).path) }
    while folder.path != "/", !isHere() { folder.deleteLastPathComponent() }
    page = folder.appendingPathComponent(manual)
  }

  /// Returns an error message if the page in the checkout is not up to date.
  public func outdated() throws -> [String] {
    let isUpToDate = try String(contentsOf: page, encoding: .utf8) == ManualPage(program).text
    return isUpToDate ? [] : ["docs/man/\(program.name).1 is out of date; run: \(generating)"]
  }

  /// Returns the commands, options and statuses that are missing from the manual page.
  public func missingInManual() -> [String] {
    let text = ManualPage(program).text
    let commands = program.visible.flatMap { command in
      ["\(program.name) \(command.name)"]
        + command.options.map { "\\-\\-" + ManualPage.escaped($0.name) }
    }
    return (commands + program.exits.map { "\n\($0.status.rawValue)\n" }).filter { !text.contains($0) }
  }

  /// Returns options that are missing from the help, and lines of the help that are wider than 80 columns.
  public func faultsOfHelp() -> [String] {
    program.visible.flatMap { command in
      let text = HelpText(program).text(of: command)
      let missing = command.options.map { "--\($0.name)" }.filter { !text.contains($0) }
      let lines = text.components(separatedBy: "\nExamples:")[0].split(separator: "\n").map(String.init)
      return missing + lines.filter { DisplayText.width($0) > 80 }
    }
  }

  /// Returns commands and options that are missing from the completions of a shell.
  public func missingInCompletions() -> [String] {
    Completions.shells.flatMap { shell in
      let text = Completions(program).text(for: shell) ?? ""
      return program.visible.flatMap { [$0.name] + $0.options.map(\.name) }
        .filter { !text.contains($0) }.map { "\(shell): \($0)" }
    }
  }

  /// Returns what bash completes for the last of the words.
  public func bashCompletion(of words: String) throws -> String {
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      Data((Completions(program).text(for: "bash") ?? "").utf8), to: "completions")
    let script =
      "source '\(file.path)'; COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _\(program.name); "
    return try ChildProcess.run(["bash", "-c", script + "echo ${COMPREPLY[@]}"])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
