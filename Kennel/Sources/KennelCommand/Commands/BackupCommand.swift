import Glibc
import KennelModel
import TerminalProgram

enum BackupCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let path = context.arguments.operands.first ?? ""
    let isOutput = try path == "-" || OutputPlace(path) == .descriptor(STDOUT_FILENO)
    let target = isOutput ? BackupTarget.standardOutput : .path(path)
    if target == .standardOutput, Terminal.isTerminal(STDOUT_FILENO) {
      throw UsageError(
        "A backup cannot be written to a terminal. Give a file, or redirect the output with > or |.")
    }
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await context.withStore { store in
      try await store.backUp(to: target) { BackupCommand.showProgress($0, progress) }
    }
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn("kennel: The photo \(hash) is missing or damaged, so it is not in the backup.")
    }
    if target == .standardOutput || isStandardOutput(path) {
      // Standard output must contain only the backup.
      context.screen.say("kennel: The backup contains \(contents(report)).")
    } else {
      try await context.output.write("\(path): \(contents(report))\n")
    }
    return report.missing.isEmpty ? .success : .partial
  }

  /// Returns whether a path refers to the same file, terminal or pipe as standard output.
  private static func isStandardOutput(_ path: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(path, &one) == 0 && fstat(STDOUT_FILENO, &other) == 0 && one.st_dev == other.st_dev
      && one.st_ino == other.st_ino
  }

  static func restore(_ context: CommandContext) async throws -> ExitStatus {
    let path = context.arguments.operands.first ?? ""
    let directory = context.settings.dataDirectory
    try CommandContext.makeParents(of: directory)
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await KennelStore.restore(from: path, to: directory) { showProgress($0, progress) }
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn("kennel: The backup does not contain the photo \(hash). Its post has no photo.")
    }
    try await context.output.write("\(directory): \(contents(report))\n")
    return report.missing.isEmpty ? .success : .partial
  }

  private static func showProgress(_ now: BackupProgress, _ progress: ProgressDisplay.Handle) {
    if let count = now.photoCount { progress.expect(Int64(count)) }
    progress.advance(to: Int64(now.photos))
  }

  private static func contents(_ report: BackupReport) -> String {
    "\(report.photos) \(report.photos == 1 ? "photo" : "photos"), \(ByteText.short(Int64(report.bytes)))"
  }
}
