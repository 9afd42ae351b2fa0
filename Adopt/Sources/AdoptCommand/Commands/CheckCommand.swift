import AdoptAnalysis
import Foundation
import TerminalProgram

/// The command `adopt check`.
struct CheckCommand: Sendable {
  private static let maximumRounds = 8

  private let context: CommandContext
  private let arguments: ParsedArguments
  private let paths = Paths()
  private let options: CheckOptions
  private let skipped: Set<String>

  init(_ arguments: ParsedArguments, environment: [String: String]) throws(UsageError) {
    context = try CommandContext(arguments, environment: environment)
    self.arguments = arguments
    var options = CheckOptions()
    options.callsOnce = Set(arguments.all("calls-once"))
    self.options = options
    skipped = Set(arguments.all("skip"))
    if arguments.has("write-baseline") {
      guard arguments.has("baseline") else {
        throw UsageError("--write-baseline requires --baseline FILE.")
      }
      guard !arguments.has("diff") else {
        throw UsageError("--write-baseline records all findings, so it cannot be used with --diff.")
      }
    }
    if arguments.has("path"), !arguments.operands.contains("-") {
      throw UsageError("--path names standard input, so it requires the operand -.")
    }
    if arguments.has("fix"), arguments.operands.contains("-") {
      throw UsageError("--fix changes files, so it cannot be used with standard input.")
    }
  }

  func run() async throws -> ExitStatus {
    let baseline = try await baseline()
    let found = try await context.sources()
    let changed = try await changedLines()
    let files =
      changed.map { changed in found.files.filter { changed.touches(paths.absolute($0)) } } ?? found.files
    let linking = LinkedCheck(options: options, jobs: context.jobs)
    var alone = try await check(files)
    let unchanged = try await changed == nil ? [] : others(of: alone, in: found.files)
    var (checked, linkedOptions) = try await linking.link(alone, with: unchanged)
    for case let (place, message)? in checked.map(\.syntaxError) {
      context.screen.warn(
        "\(place.path):\(place.line):\(place.column): warning: the file does not parse, so findings may be missing: \(message)"
      )
    }
    var report = report(checked, changed, baseline)
    var fixed = 0
    var failures: [FileProblem] = []
    if arguments.has("fix") {
      for _ in 0..<Self.maximumRounds {
        let result = try await FixRun(options: linkedOptions, jobs: context.jobs).fix(report.findings)
        fixed += result.count
        failures = result.problems
        guard result.count > 0 else { break }
        alone = try await recheck(alone, result.changed)
        (checked, linkedOptions) = try await linking.link(alone, with: unchanged)
        report = self.report(checked, try await changedLines(), baseline)
      }
    }
    await context.progress.stop()
    report.fixedCount = fixed
    report.fileCount = found.files.count
    report.problems = found.problems + report.problems + failures
    return try await printReport(report, baseline)
  }

  // MARK: Checking

  private func check(_ files: [String]) async throws -> [CheckedFile] {
    let handle = context.progress.begin("checking", unit: .items, total: Int64(files.count))
    defer { handle.end() }
    return try await Workers.map(files, jobs: context.jobs, done: { handle.advance(to: Int64($0)) }) {
      [options, name = arguments.value("path")] in
      CheckedFile.checking($0, name: name, options: options)
    }
  }

  /// Checks the other files of the modules of files, as far as they may decide what is found in these.
  private func others(of files: [CheckedFile], in all: [String]) async throws -> [CheckedFile] {
    let modules = Set(files.compactMap(\.result.summary).filter(\.mayNeedOthers).map(\.module))
    let known = Set(files.map(\.path))
    let others = all.filter {
      $0 != "-" && !known.contains($0) && modules.contains(FileSummary.module(of: $0))
    }
    return try await others.isEmpty ? [] : check(others)
  }

  private func recheck(_ files: [CheckedFile], _ changed: Set<String>) async throws -> [CheckedFile] {
    let again = try await check(files.map(\.path).filter(changed.contains))
    let byPath = Dictionary(again.map { ($0.path, $0) }) { first, _ in first }
    return files.map { byPath[$0.path] ?? $0 }
  }

  private func baseline() async throws -> Baseline? {
    guard let path = arguments.value("baseline") else { return nil }
    if arguments.has("write-baseline"), try !Self.holdsText(path) { return Baseline() }
    return try await Workers.run { () throws(FileProblem) in try Baseline.read(path) }
  }

  /// Returns whether the path is an existing file. Devices and pipes are only written to.
  private static func holdsText(_ path: String) throws(Failure) -> Bool {
    guard case .file(let file) = try OutputPlace(path) else { return false }
    return FileIdentity.read(file) != nil
  }

  private func changedLines() async throws -> ChangedLines? {
    guard let revision = arguments.value("diff") else { return nil }
    let operands = context.operands
    return try await Workers.run { () throws(FileProblem) in try Self.changes(operands, since: revision) }
  }

  private static func changes(_ operands: [String], since revision: String) throws(FileProblem)
    -> ChangedLines
  {
    var changed = ChangedLines()
    var tops: Set<String> = []
    for operand in operands {
      let isFolder = FileIdentity.read(operand)?.kind == .folder
      let slash = operand.lastIndex(of: "/")
      let folder = isFolder ? operand : slash.map { String(operand[...$0]) } ?? "."
      let repository = try GitRepository(around: folder)
      if tops.insert(repository.top).inserted { changed.add(try repository.changes(since: revision)) }
    }
    return changed
  }

  // MARK: Selecting findings

  private func report(_ checked: [CheckedFile], _ changed: ChangedLines?, _ baseline: Baseline?)
    -> CheckReport
  {
    var report = CheckReport()
    report.hasBaseline = baseline != nil
    report.problems = checked.compactMap(\.problem)
    report.hasSyntaxErrors = checked.contains { $0.syntaxError != nil }
    report.handlerCount = checked.reduce(0) { $0 + $1.result.handlerCount }
    report.suppressedCount = checked.reduce(0) { $0 + $1.result.suppressed.count }
    report.declined = checked.flatMap(\.result.declined)
    for file in checked where !file.result.findings.isEmpty { report.files[file.path] = file }
    let all = checked.flatMap(\.result.findings).filter { !skipped.contains($0.kind.rawValue) }
    let touching = all.filter { finding in
      guard let changed else { return true }
      let lines = [finding.place.line] + finding.notes.map(\.place.line)
      return changed.touches(lines, of: paths.absolute(finding.place.path))
    }
    report.untouchedCount = all.count - touching.count
    report.findings = touching
    if let baseline, !arguments.has("write-baseline") {
      let isNew = baseline.isNew(touching, relative: relative, exists: exists)
      report.findings = zip(touching, isNew).filter(\.1).map(\.0)
      report.knownCount = touching.count - report.findings.count
    }
    return report
  }

  private var baselineFolder: String {
    let path = arguments.value("baseline") ?? ""
    return paths.absolute(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".")
  }

  private func relative(_ path: String) -> String { Paths.relative(paths.absolute(path), to: baselineFolder) }

  private func exists(_ file: String) -> Bool {
    FileIdentity.read(file.hasPrefix("/") ? file : baselineFolder + "/" + file) != nil
  }

  // MARK: Reporting

  private func printReport(_ report: CheckReport, _ baseline: Baseline?) async throws -> ExitStatus {
    for problem in report.problems { context.report(problem) }
    if arguments.has("write-baseline") { return try await write(baseline ?? Baseline(), report) }
    let text =
      switch arguments.value("format") {
      case "json": JSONReport.text(report)
      case "sarif": SARIFReport.text(report, paths: paths)
      case "github": GitHubReport.text(report, paths: paths)
      default: TextReport(isColoured: context.isColoured).text(report)
      }
    try await context.write(text)
    if arguments.has("verbose") {
      for decline in report.declined {
        let place = decline.place
        context.screen.say(
          "\(place.path):\(place.line):\(place.column): note: \(decline.reason)")
      }
    }
    if report.fileCount > 0 { context.screen.say("adopt: \(report.summary)") }
    await context.screen.flush()
    if !report.problems.isEmpty { return .usage }
    return report.findings.isEmpty ? .success : .failure
  }

  private func write(_ earlier: Baseline, _ report: CheckReport) async throws -> ExitStatus {
    guard report.problems.isEmpty, let path = arguments.value("baseline") else {
      throw UsageError("The baseline was not written, because some files could not be read.")
    }
    var baseline = Baseline(of: report.findings, relative: relative)
    let checkedFiles = Set(try await context.sources().files.map(relative))
    baseline.keep(from: earlier) { !checkedFiles.contains($0) && exists($0) }
    let text = baseline.text
    try await context.write(text, to: path)
    let count = report.findings.count
    context.screen.say("adopt: \(count) finding\(count == 1 ? "" : "s") written to \(path)")
    await context.screen.flush()
    return .success
  }
}
