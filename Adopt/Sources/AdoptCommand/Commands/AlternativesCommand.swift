import AdoptAnalysis
import AdoptTwins
import TerminalProgram

/// The command `adopt alternatives`.
struct AlternativesCommand: Sendable {
  private enum Destination {
    case diff
    case files
  }

  private let context: CommandContext
  private let run: TwinRun
  private let destination: Destination
  private let isVerbose: Bool

  init(_ arguments: ParsedArguments, environment: [String: String]) throws(UsageError) {
    context = try CommandContext(arguments, environment: environment)
    var options = TwinOptions()
    options.usesImportedNames = arguments.has("objc-names")
    options.access = arguments.value("access").flatMap(AccessLevel.init) ?? .all
    run = TwinRun(
      options: options, jobs: context.jobs, isVerifying: arguments.value("verify") != "off",
      separatePath: arguments.value("into"), arguments: arguments.all("compiler-argument"))
    let writes = arguments.has("in-place") || arguments.has("into")
    destination = writes && !arguments.has("dry-run") ? .files : .diff
    isVerbose = arguments.has("verbose")
    if arguments.has("in-place"), arguments.has("into") {
      throw UsageError("--in-place and --into cannot be used together. Choose one of them.")
    }
    if arguments.operands.contains("-") {
      throw UsageError(
        "The command alternatives cannot read standard input. Name files or folders, which the compiler needs."
      )
    }
    if let path = arguments.value("into"), FileIdentity.read(path) != nil {
      throw UsageError("The file \(path) already exists. --into creates a new file, so choose another name.")
    }
  }

  func run() async throws -> ExitStatus {
    let found = try await context.sources()
    let handle = context.progress.begin("reading", unit: .items, total: Int64(found.files.count))
    var outcome = try await run.run(found.files, absolute: Paths()) { count in
      handle.advance(to: Int64(count))
      if count == found.files.count { handle.describe("compiling", completed: 0, total: nil) }
    }
    handle.end()
    await context.progress.stop()
    outcome.problems = found.problems + outcome.problems
    for problem in outcome.problems { context.report(problem) }
    reportDeclined(outcome)
    for note in outcome.notes { context.screen.warn(note) }
    for warning in outcome.warnings {
      let place = warning.place
      context.screen.warn("\(place.path):\(place.line):\(place.column): warning: \(warning.message)")
    }
    switch destination {
    case .diff:
      let texts = outcome.changes.map { UnifiedDiff.text(of: $0.path, old: $0.old, new: $0.new) }
      try await context.write(painted(texts.joined()))
    case .files:
      for change in outcome.changes {
        do {
          try await write(change)
        } catch let problem as FileProblem {
          context.report(problem)
          outcome.problems.append(problem)
        }
      }
    }
    context.screen.say("adopt: \(summary(outcome))")
    await context.screen.flush()
    return outcome.problems.isEmpty ? .success : .usage
  }

  private func write(_ change: TwinRun.Change) async throws {
    try Task.checkCancellation()
    try await Workers.run(returnsOnCancellation: false) { () throws(FileProblem) in
      if let old = change.old, try SourceText.read(change.path) != old {
        throw FileProblem(
          change.path, "The file was not written, because another program changed it in the meantime.")
      }
      try AtomicFile.write(change.new, to: change.path)
    }
  }

  private func reportDeclined(_ outcome: TwinRun.Outcome) {
    for twins in outcome.pairs.map(\.twins) {
      for declined in twins.declined {
        let place = declined.place
        context.screen.say(
          "\(place.path):\(place.line):\(place.column): note: no alternative for \(declined.function): \(declined.reason)"
        )
      }
      guard isVerbose else { continue }
      for existing in twins.existing {
        let place = existing.place
        context.screen.say(
          "\(place.path):\(place.line):\(place.column): note: \(existing.function) already has an alternative: \(existing.twin)"
        )
      }
    }
  }

  private func summary(_ outcome: TwinRun.Outcome) -> String {
    let written = outcome.pairs.reduce(0) { $0 + $1.twins.twins.count }
    let declined = outcome.pairs.reduce(0) { $0 + $1.twins.declined.count }
    let existing = outcome.pairs.reduce(0) { $0 + $1.twins.existing.count }
    let verb = destination == .files ? "written" : "to write"
    var parts = [
      written == 0 ? "nothing \(verb)" : "\(written) alternative\(written == 1 ? "" : "s") \(verb)"
    ]
    if declined > 0 { parts.append("\(declined) declined") }
    if existing > 0 { parts.append("\(existing) already \(existing == 1 ? "exists" : "exist")") }
    return parts.joined(separator: "; ")
  }

  private func painted(_ diff: String) -> String {
    guard context.isColoured else { return diff }
    return diff.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      let style: String? =
        line.hasPrefix("+++") || line.hasPrefix("---")
        ? "1" : line.hasPrefix("+") ? "32" : line.hasPrefix("-") ? "31" : line.hasPrefix("@@") ? "36" : nil
      return style.map { "\u{1B}[\($0)m\(line)\u{1B}[0m" } ?? String(line)
    }.joined(separator: "\n")
  }
}
