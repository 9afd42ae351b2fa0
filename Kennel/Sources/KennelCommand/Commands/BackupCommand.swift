import Glibc
import KennelModel
import KennelStorage
import StoredPhotos
import TerminalProgram

enum BackupCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let passphrase = try passphrase(context)
    if let directory = context.arguments.value("to") {
      return try await backUp(toDirectory: directory, passphrase, context)
    }
    guard let path = context.arguments.operands.first else {
      throw UsageError("Give the file for the backup, or a directory with --to.")
    }
    if context.arguments.has("keep") { throw UsageError("The option --keep needs --to.") }
    let isOutput = try path == "-" || OutputPlace(path) == .descriptor(STDOUT_FILENO)
    let target = isOutput ? BackupTarget.standardOutput : .path(path)
    if target == .standardOutput, Terminal.isTerminal(STDOUT_FILENO) {
      throw UsageError(
        "A backup cannot be written to a terminal. Give a file, or redirect the output with > or |.")
    }
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await context.withStore { store in
      try await store.backUp(to: target, passphrase: passphrase) { BackupCommand.showProgress($0, progress) }
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

  private static func backUp(
    toDirectory directory: String, _ passphrase: BackupPassphrase?, _ context: CommandContext
  ) async throws -> ExitStatus {
    guard context.arguments.operands.isEmpty else {
      throw UsageError("A backup is written to a file or to the directory of --to, not to both.")
    }
    let count = try context.arguments.value("keep").map { text throws(UsageError) in
      guard let count = Int(text), 1...100_000 ~= count else {
        throw UsageError("The option --keep needs a number from 1, not “\(DisplayText.safe(text))”.")
      }
      return count
    }
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await context.withStore { store in
      try await store.backUp(toDirectory: directory, keeping: count, passphrase: passphrase) {
        showProgress($0, progress)
      }
    }
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn("kennel: The photo \(hash) is missing or damaged, so it is not in the backup.")
    }
    let removed =
      switch report.removedBackups {
      case 0: ""
      case 1: ", 1 earlier backup removed"
      default: ", \(report.removedBackups) earlier backups removed"
      }
    try await context.output.write(
      "\(directory): \(photos(report)), \(ByteText.short(Int64(report.bytes))) written\(removed)\n")
    return report.missing.isEmpty ? .success : .partial
  }

  /// Reads the passphrase in the first line of a file or pipe.
  private static func passphrase(_ context: CommandContext) throws -> BackupPassphrase? {
    guard let path = context.arguments.value("passphrase-file") else { return nil }
    guard let file = fopen(path, "re") else { throw Failure.file("Could not read \(path)", errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while bytes.count <= 1024 {
      let byte = getc(file)
      if byte == EOF || byte == 10 { break }
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    if bytes.last == 13 { bytes.removeLast() }
    return try BackupPassphrase(bytes)
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
    let passphrase = try passphrase(context)
    try CommandContext.makeParents(of: directory)
    let target = try MovePlan.restoring(context)
    let record = StoredPhotosPlace.record(ofRestoring: directory)
    let progress = context.progress.begin("photos", unit: .items)
    let report = try await KennelStore.restore(
      from: path, to: directory, passphrase: passphrase,
      target: { draft async throws(KennelError) in try await target?.target(of: draft, record: record) }
    ) {
      showProgress($0, progress)
    }
    StoredPhotosPlace.forget(record)
    progress.end()
    await context.progress.stop()
    for hash in report.missing {
      context.screen.warn(
        "kennel: The photo \(hash) is missing or altered, in the backup or on its way to the new place. Its post has no photo."
      )
    }
    try await context.output.write("\(directory): \(contents(report))\n")
    return report.missing.isEmpty ? .success : .partial
  }

  private static func showProgress(_ now: BackupProgress, _ progress: ProgressDisplay.Handle) {
    if let count = now.photoCount { progress.expect(Int64(count)) }
    progress.advance(to: Int64(now.photos))
  }

  private static func contents(_ report: BackupReport) -> String {
    "\(photos(report)), \(ByteText.short(Int64(report.bytes)))"
  }

  private static func photos(_ report: BackupReport) -> String {
    report.photos == 1 ? "1 photo" : "\(report.photos) photos"
  }
}
