import KennelCore
import TerminalProgram

enum BackupCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let path = context.arguments.operands.first ?? ""
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await context.withStore { store in
      try await store.backUp(to: path) { BackupCommand.tell($0, progress) }
    }
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn("kennel: the photo \(hash) is missing or altered, and is not in the backup")
    }
    try await context.output.write("\(path): \(contents(report))\n")
    return report.missing.isEmpty ? .success : .partial
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
