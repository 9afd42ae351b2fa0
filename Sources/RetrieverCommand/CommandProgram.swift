import Foundation
import Glibc
import Retriever

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
    await Interruption.run { await dispatch(arguments, environment) }.rawValue
  }

  private static func dispatch(_ arguments: [String], _ environment: [String: String]) async -> ExitStatus {
    let output = DescriptorWriter(STDOUT_FILENO, name: "standard output", closes: false)
    let screen = Screen(STDERR_FILENO, isQuiet: false, environment: environment)
    do {
      let status = try await run(arguments, environment, output, screen)
      await screen.flush()
      return status
    } catch {
      let failure = Failure(error)
      if failure.status != .outputClosed, failure.status != .interrupted {
        screen.warn("retriever: \(failure.message)")
      }
      if failure.status == .usage { screen.warn(hint(arguments)) }
      await screen.flush()
      return failure.status
    }
  }

  private static func hint(_ arguments: [String]) -> String {
    let command = arguments.first.flatMap(CommandList.command(named:)).map { "\($0.name) " } ?? ""
    return "retriever \(command)--help shows what can be said."
  }

  private static func run(
    _ arguments: [String], _ environment: [String: String], _ output: DescriptorWriter, _ screen: Screen
  ) async throws -> ExitStatus {
    guard let name = arguments.first else { throw UsageError("which command?") }
    switch name {
    case "--help", "-h", "help":
      let about = arguments.dropFirst().first.flatMap(CommandList.command(named:))
      try await output.write(about.map { HelpText.text(of: $0) } ?? HelpText.overview())
      return .success
    case "--version":
      try await output.write(HelpText.version + "\n")
      return .success
    default: break
    }
    guard let command = CommandList.command(named: name) else {
      let nearest = Spelling.nearest(to: name, among: CommandList.visible.map(\.name))
      throw UsageError("there is no command “\(name)”" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    }
    let parsed = try ArgumentParser.parse(arguments.dropFirst(), for: command)
    if parsed.has("help") {
      try await output.write(HelpText.text(of: command))
      return .success
    }
    switch name {
    case "completions":
      guard let text = Completions.text(for: parsed.operands.first ?? "") else {
        throw UsageError("completions are for \(Completions.shells.joined(separator: ", "))")
      }
      try await output.write(text)
      return .success
    case "generate-manual":
      try await output.write(ManualPage.text)
      return .success
    default: return try await work(parsed, environment)
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

  private static func bodyTakesOutput(_ arguments: ParsedArguments) -> Bool {
    switch arguments.command {
    case "get", "upload": arguments.value("output") == nil || arguments.value("output") == "-"
    case "download", "thumbnail", "collage": arguments.value("output") == "-"
    default: false
    }
  }
}
