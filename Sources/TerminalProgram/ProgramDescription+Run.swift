import Glibc

// Runs a program, from its arguments to an exit status. Handles what all programs have in common: help, version,
// completions and the manual page. The program itself performs the other commands.
extension ProgramDescription {
  /// Runs the program and returns its exit status.
  ///
  /// Uses the standard input, output and error of the process. The first SIGINT, SIGTERM or SIGHUP cancels the
  /// running work, which then cleans up. A second signal ends the process immediately.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name.
  ///   - environment: The environment variables of the process.
  ///   - failure: Converts an error of the program's libraries to a failure.
  ///   - perform: Performs a command.
  public func run(
    _ arguments: [String], environment: [String: String],
    failure: @escaping @Sendable (any Error) -> Failure = { Failure(general: $0) },
    perform: @escaping @Sendable (ParsedArguments) async throws -> ExitStatus
  ) async -> Int32 {
    let command = arguments.first.flatMap(command(named:))
    let isService = command?.isService(given: arguments.dropFirst()) ?? false
    return await Interruption.run(isOrdinaryEnd: isService) {
      await dispatch(arguments, environment, failure, perform)
    }.rawValue
  }

  private func dispatch(
    _ arguments: [String], _ environment: [String: String], _ meaning: (any Error) -> Failure,
    _ perform: (ParsedArguments) async throws -> ExitStatus
  ) async -> ExitStatus {
    let output = DescriptorWriter(STDOUT_FILENO, name: "standard output", closes: false)
    let screen = Screen(STDERR_FILENO, isQuiet: false, environment: environment)
    do {
      let status = try await answer(arguments, output, perform)
      await screen.flush()
      return status
    } catch {
      let failure = meaning(error)
      if failure.status != .outputClosed, failure.status != .interrupted {
        screen.warn("\(name): \(failure.message)")
      }
      if failure.status == .usage { screen.warn(hint(arguments)) }
      await screen.flush()
      return failure.status
    }
  }

  private func hint(_ arguments: [String]) -> String {
    let command = arguments.first.flatMap(command(named:)).map { "\($0.name) " } ?? ""
    return "Run “\(name) \(command)--help” for usage."
  }

  private func answer(
    _ arguments: [String], _ output: DescriptorWriter,
    _ perform: (ParsedArguments) async throws -> ExitStatus
  ) async throws -> ExitStatus {
    guard let word = arguments.first else { throw UsageError("No command was given.") }
    switch word {
    case "--help", "-h", "help":
      let about = arguments.dropFirst().first.flatMap(command(named:))
      try await output.write(about.map { HelpText(self).text(of: $0) } ?? HelpText(self).overview())
      return .success
    case "--version", "version":
      try await output.write("\(name) \(version)\n")
      return .success
    default: break
    }
    guard let command = command(named: word) else {
      if word.hasPrefix("-") { throw UsageError("The command must come before options such as \(word).") }
      let nearest = Spelling.nearest(to: word, among: visible.map(\.name))
      throw UsageError("Unknown command “\(word)”." + (nearest.map { " Did you mean \($0)?" } ?? ""))
    }
    let parsed = try ArgumentParser.parse(arguments.dropFirst(), for: command)
    if parsed.has("help") {
      try await output.write(HelpText(self).text(of: command))
      return .success
    }
    switch word {
    case "completions":
      guard let text = Completions(self).text(for: parsed.operands.first ?? "") else {
        throw UsageError("Completions are available for \(Completions.shells.joined(separator: ", ")).")
      }
      try await output.write(text)
      return .success
    case "generate-manual":
      try await output.write(ManualPage(self).text)
      return .success
    default: return try await perform(parsed)
    }
  }
}

extension CommandDescription {
  /// The commands that every program has. They are handled here, not by the program.
  public static func common(program: String) -> [CommandDescription] {
    let help = OptionDescription("help", short: "h", "show help for the command")
    return [
      CommandDescription(
        "completions", "print the completions for a shell",
        operands: Completions.shells.joined(separator: "|"),
        count: 1...1, discussion: ["For example: source <(\(program) completions bash)"], options: [help],
        completion: .choices(Completions.shells)),
      CommandDescription(
        "generate-manual", "print the manual page", operands: "", count: 0...0, discussion: [],
        options: [help],
        isHidden: true),
    ]
  }
}
