import TerminalProgram

/// The program `retriever`: from arguments to an exit status.
public enum CommandProgram {
  /// Runs the program, and returns the status to exit with.
  ///
  /// Standard input, output and error are the process's. Signals that end programs cancel what is under way, which then
  /// tidies up; a second one ends the process at once.
  ///
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - environment: the variables of the process.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    await CommandList.program.run(arguments, environment: environment, failure: { Failure($0) }) {
      try await work($0, environment)
    }
  }

  /// The commands that do something, with what has to be written at their end.
  private static func work(
    _ arguments: ParsedArguments, _ environment: [String: String]
  ) async throws -> ExitStatus {
    let context = CommandContext(
      arguments, environment: environment, bodyTakesOutput: bodyTakesOutput(arguments))
    let result: Result<ExitStatus, any Error>
    do {
      result = .success(try await perform(context))
    } catch {
      result = .failure(error)
    }
    do throws(Failure) {
      try await context.close()
    } catch {
      context.screen.warn("retriever: \(error.message)")
      await context.screen.flush()
      if case .success(.success) = result { return error.status }
    }
    await context.screen.flush()
    return try result.get()
  }

  private static func perform(_ context: CommandContext) async throws -> ExitStatus {
    switch context.arguments.command {
    case "get": try await GetCommand.run(context)
    case "download": try await DownloadCommand.run(context)
    case "upload": try await UploadCommand.run(context)
    case "lines": try await FollowCommand.run(context, .lines)
    case "events": try await FollowCommand.run(context, .events)
    case "thumbnail": try await ThumbnailCommand.run(context)
    case "collage": try await CollageCommand.run(context)
    default: try await InspectCommand.run(context)
    }
  }

  private static func goesToStandardOutput(_ output: String) -> Bool {
    (try? Destination(output, count: 1, usual: .standardOutput)) == .standardOutput
  }

  private static func bodyTakesOutput(_ arguments: ParsedArguments) -> Bool {
    switch arguments.command {
    case "get", "upload": goesToStandardOutput(arguments.value("output") ?? "-")
    case "download", "thumbnail", "collage": arguments.value("output").map(goesToStandardOutput) ?? false
    default: false
    }
  }
}
