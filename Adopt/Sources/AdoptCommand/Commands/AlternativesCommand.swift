import TerminalProgram

/// `adopt alternatives`.
struct AlternativesCommand: Sendable {
  private let context: CommandContext

  init(_ arguments: ParsedArguments, environment: [String: String]) throws(UsageError) {
    context = try CommandContext(arguments, environment: environment)
  }

  func run() async throws -> ExitStatus { .success }
}
