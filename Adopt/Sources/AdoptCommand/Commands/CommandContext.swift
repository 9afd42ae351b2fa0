import AdoptAnalysis
import Foundation
import Glibc
import TerminalProgram

/// The arguments and outputs that every command uses.
struct CommandContext: Sendable {
  let arguments: ParsedArguments
  let screen: Screen
  let progress: ProgressDisplay
  let output: DescriptorWriter
  let jobs: Int
  let isColoured: Bool

  init(_ arguments: ParsedArguments, environment: [String: String]) throws(UsageError) {
    self.arguments = arguments
    screen = Screen(STDERR_FILENO, isQuiet: arguments.has("quiet"), environment: environment)
    progress = ProgressDisplay(screen)
    output = DescriptorWriter(STDOUT_FILENO, name: "standard output", closes: false)
    jobs = try arguments.integer("jobs", in: 1...1024, default: Workers.processorCount)
    isColoured =
      switch arguments.value("color") {
      case "always": true
      case "never": false
      default:
        arguments.value("output") == nil && Terminal.canRewrite(STDOUT_FILENO, environment)
          && (environment["NO_COLOR"] ?? "").isEmpty
      }
  }

  var operands: [String] { arguments.operands.isEmpty ? ["."] : arguments.operands }

  /// Returns the source files. There is at least one file, or a problem that explains why not.
  func sources() async throws -> SourceDiscovery {
    let (operands, excluded) = (operands, arguments.all("exclude"))
    let found = try await Workers.run { SourceDiscovery.find(operands, excluding: excluded) }
    if found.files.isEmpty, found.problems.isEmpty {
      let places =
        operands.count == 1 && operands[0] == "." ? "this folder" : operands.joined(separator: ", ")
      throw UsageError("No Swift files were found in \(places).")
    }
    return found
  }

  func report(_ problem: FileProblem) { screen.warn("\(problem.path): error: \(problem.message)") }

  /// Writes the result to the file given by `--output`, or to standard output.
  func write(_ text: String) async throws {
    guard let path = arguments.value("output"), path != "-" else { return try await output.write(text) }
    try await write(text, to: path)
  }

  func write(_ text: String, to path: String) async throws {
    if let writer = try await DescriptorWriter.stream(path, at: try OutputPlace(path)) {
      try await writer.write(text)
      return try await writer.close()
    }
    try await Workers.run(returnsOnCancellation: false) { () throws(FileProblem) in
      try AtomicFile.write(text, to: path)
    }
  }
}
