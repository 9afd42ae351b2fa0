import TerminalProgram

/// The program `adopt`: from arguments to an exit status.
public enum AdoptProgram {
  package static let version = "0.1.0"

  /// Runs the program, and returns the status to exit with.
  ///
  /// Standard input, output and error are the process's. Signals that end programs stop what is under way, and leave no
  /// file half written; a second one ends the process at once.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - environment: the variables of the process.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    await CommandList.program.run(arguments, environment: environment, failure: failure) { arguments in
      switch arguments.command {
      case "check": try await CheckCommand(arguments, environment: environment).run()
      default: try await AlternativesCommand(arguments, environment: environment).run()
      }
    }
  }

  /// 1 is for findings alone: what kept the program from looking for them is 2.
  private static func failure(_ error: any Error) -> Failure {
    if let problem = error as? FileProblem { return Failure(.usage, "\(problem.path) \(problem.message)") }
    let failure = Failure(general: error)
    let isEnd = failure.status.rawValue > 128
    return isEnd ? failure : Failure(.usage, failure.message)
  }
}
