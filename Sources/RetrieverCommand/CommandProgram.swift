import TerminalProgram

/// The program `retriever`.
public enum CommandProgram {
  /// Runs the program and returns its exit status.
  ///
  /// Uses the standard input, output and error of the process. The first SIGINT, SIGTERM or SIGHUP cancels the
  /// running work, which then cleans up. A second signal ends the process immediately.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - environment: The environment variables of the process.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    await CommandList.program.run(arguments, environment: environment, failure: { Failure($0) }) {
      try await work($0, environment)
    }
  }

  /// Performs a command, and then writes the output that is due at the end.
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
    if let error = await close(context) {
      context.screen.warn("retriever: \(error.message)")
      await context.screen.flush()
      if case .success(.success) = result { return error.status }
    }
    await context.screen.flush()
    return try result.get()
  }

  /// Writes the output that is due at the end. Returns the error, if there is one.
  ///
  /// In a cancelled task, a writer does not wait for its reader. So this is a task of its own: it waits, until a second
  /// signal ends the process.
  private static func close(_ context: CommandContext) async -> Failure? {
    let isCancelled = Task.isCancelled
    return await Task {
      do throws(Failure) {
        try await context.close(isCancelled: isCancelled)
        return nil
      } catch {
        return error
      }
    }.value
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
    case "strip": try await StripCommand.run(context)
    default: try await InspectCommand.run(context)
    }
  }

  private static func goesToStandardOutput(_ output: String) -> Bool {
    (try? Destination(output, count: 1, usual: .standardOutput)) == .standardOutput
  }

  private static func bodyTakesOutput(_ arguments: ParsedArguments) -> Bool {
    switch arguments.command {
    case "get", "upload": goesToStandardOutput(arguments.value("output") ?? "-")
    case "download", "thumbnail", "collage", "strip":
      arguments.value("output").map(goesToStandardOutput) ?? false
    default: false
    }
  }
}
