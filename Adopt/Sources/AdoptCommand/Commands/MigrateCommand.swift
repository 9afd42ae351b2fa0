import AdoptAnalysis
import AdoptTwins
import TerminalProgram

/// The command `adopt migrate`.
struct MigrateCommand: Sendable {
  private let context: CommandContext
  private let run: MigrationRun
  private let writes: Bool
  private let tests: Bool

  init(_ arguments: ParsedArguments, environment: [String: String]) throws(UsageError) {
    context = try CommandContext(arguments, environment: environment)
    var options = MigrationOptions()
    options.wrapsInTask = arguments.has("wrap-in-task")
    tests = arguments.has("test")
    writes = (arguments.has("in-place") || tests) && !arguments.has("dry-run")
    run = MigrationRun(
      options: options, jobs: context.jobs, isVerifying: arguments.value("verify") != "off",
      arguments: arguments.all("compiler-argument"))
    if arguments.operands.contains("-") {
      throw UsageError("The command migrate cannot read standard input. Name a package, or files of one.")
    }
  }

  func run() async throws -> ExitStatus {
    let found = try await context.sources()
    let handle = context.progress.begin("compiling", unit: .items, total: nil)
    var outcome = try await run.run(found.files, paths: Paths())
    handle.end()
    await context.progress.stop()
    outcome.problems = found.problems + outcome.problems
    for problem in outcome.problems { context.report(problem) }
    var moved = outcome.changes.reduce(0) { $0 + $1.count }
    if writes {
      for change in outcome.changes {
        let isWritten = try await write(change, &outcome)
        if !isWritten { moved -= change.count }
      }
    } else {
      try await context.write(
        outcome.changes.map { UnifiedDiff.text(of: $0.path, old: $0.old, new: $0.new) }.joined())
    }
    for call in outcome.staying {
      let place = call.place
      context.screen.say(
        "\(place.path):\(place.line):\(place.column): note: \(call.function) stays as it is: \(call.reason)")
    }
    let verb = writes ? "moved" : "to move"
    let count = moved == 0 ? "no call \(verb)" : "\(moved) call\(moved == 1 ? "" : "s") \(verb)"
    let rest = outcome.staying.isEmpty ? "" : "; \(outcome.staying.count) declined"
    context.screen.say("adopt: \(count)\(rest)")
    await context.screen.flush()
    return outcome.problems.isEmpty ? .success : .usage
  }

  /// Writes a file, and puts it back if the tests of its package fail.
  private func write(_ change: MigrationRun.Change, _ outcome: inout MigrationRun.Outcome) async throws
    -> Bool
  {
    try Task.checkCancellation()
    let (migration, isTesting) = (run, tests)
    do {
      let reason = try await Workers.run(returnsOnCancellation: false) { () throws(FileProblem) -> String? in
        guard try SourceText.read(change.path) == change.old else {
          throw FileProblem(
            change.path, "The file was not written, because another program changed it in the meantime.")
        }
        try AtomicFile.write(change.new, to: change.path)
        guard isTesting, let failure = try migration.failingTest(change.package) else { return nil }
        try AtomicFile.write(change.old, to: change.path)
        return failure
      }
      guard let reason else { return true }
      let place = Place(path: change.path, line: 1, column: 1, offset: 0)
      outcome.staying.append(StayingCall(place: place, function: change.path, reason: reason))
    } catch let problem as FileProblem {
      context.report(problem)
      outcome.problems.append(problem)
    }
    return false
  }
}
