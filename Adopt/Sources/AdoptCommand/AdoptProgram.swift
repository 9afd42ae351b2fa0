import TerminalProgram

/// The program `adopt`.
public enum AdoptProgram {
  /// Runs the program and returns its exit status.
  ///
  /// The program uses the standard input, output and error of the process. A termination signal stops the current work
  /// and leaves no file half written; a second signal ends the process immediately.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - environment: The environment variables of the process.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    await CommandList.program.run(arguments, environment: environment, failure: failure) { arguments in
      switch arguments.command {
      case "check": try await CheckCommand(arguments, environment: environment).run()
      case "migrate": try await MigrateCommand(arguments, environment: environment).run()
      case "explain": try await ExplainCommand(arguments, environment: environment).run()
      default: try await AlternativesCommand(arguments, environment: environment).run()
      }
    }
  }

  /// Returns the failure for an error. The status 1 is reserved for findings, so errors use 2.
  private static func failure(_ error: any Error) -> Failure {
    if let problem = error as? FileProblem { return Failure(.usage, "\(problem.path): \(problem.message)") }
    let failure = Failure(general: error)
    let isEnd = failure.status.rawValue > 128
    return isEnd ? failure : Failure(.usage, failure.message)
  }
}
