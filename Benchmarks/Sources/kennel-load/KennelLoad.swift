// Loads one or several Kennel processes with people who look, give hearts, comment, upload and listen. Run
// `kennel-load run --help` for its options.
import Foundation
import KennelLoad
import TerminalProgram

@main
struct KennelLoadProgram {
  static func main() async {
    exit(
      await program.run(
        Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
        perform: perform))
  }

  @Sendable private static func perform(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let options = try LoadOptions(arguments)
    let stop = StopSignal()
    // Ctrl-C ends the load, and not the checks and the report. A second one ends the program.
    let work = Task {
      let report = try await LoadRun(options, stop: stop).report()
      let output = DescriptorWriter(STDOUT_FILENO, name: "standard output", closes: false)
      try await output.write(options.isJSON ? report.json() : report.text)
      return report.isExact ? ExitStatus.success : .failure
    }
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      stop.stop()
    }
  }

  private static let program = ProgramDescription(
    "kennel-load", version: "1", summary: "load Kennel with people who look, give hearts, comment and listen",
    commands: [LoadOptions.command] + CommandDescription.common(program: "kennel-load"),
    exits: [
      .init(.success, "All checks passed."),
      .init(
        .failure,
        "A listener missed an event, or received one twice or in the wrong order, or hearts are not exact, or the load could not start."
      ),
      .init(.usage, "The command line is not valid."),
      .init(.interrupted, "Ctrl-C ended the load. The report so far was printed."),
    ])
}
