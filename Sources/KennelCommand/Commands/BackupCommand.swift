import Glibc
import KennelCore
import TerminalProgram

enum BackupCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let path = context.arguments.operands.first ?? ""
    let isOutput = try path == "-" || OutputPlace(path) == .descriptor(STDOUT_FILENO)
    let target = isOutput ? BackupTarget.standardOutput : .path(path)
    if target == .standardOutput, Terminal.isTerminal(STDOUT_FILENO) {
      throw UsageError("a backup is nothing for a terminal: give a file, or lead it to one with > or |")
    }
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await context.withStore { store in
      try await store.backUp(to: target) { BackupCommand.tell($0, progress) }
    }
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn("kennel: the photo \(hash) is missing or altered, and is not in the backup")
    }
    if target == .standardOutput || isStandardOutput(path) {
      // Nothing else may get into the backup.
      context.screen.say("kennel: the backup has \(contents(report))")
    } else {
      try await context.output.write("\(path): \(contents(report))\n")
    }
    return report.missing.isEmpty ? .success : .partial
  }

  /// Whether a path is another name of what standard output is, such as a terminal's or a pipe's.
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
    let report = try await KennelStore.restore(from: path, to: directory) { tell($0, progress) }
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn("kennel: the backup has no photo \(hash): its posts are without")
    }
    try await context.output.write("\(directory): \(contents(report))\n")
    return report.missing.isEmpty ? .success : .partial
  }

  private static func tell(_ now: BackupProgress, _ progress: ProgressDisplay.Handle) {
    if let count = now.photoCount { progress.expect(Int64(count)) }
    progress.advance(to: Int64(now.photos))
  }

  private static func contents(_ report: BackupReport) -> String {
    "\(report.photos) \(report.photos == 1 ? "photo" : "photos"), \(ByteText.short(Int64(report.bytes)))"
  }
}
