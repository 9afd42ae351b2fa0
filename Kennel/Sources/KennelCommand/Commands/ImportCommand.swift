import Foundation
import KennelModel
import TerminalProgram

enum ImportCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    var (files, otherCount, skippedCount): ([PhotoFolder.File], Int, Int) = ([], 0, 0)
    for path in context.arguments.operands {
      switch try await onThread({ Result { () throws(Failure) in try PhotoSource(path) } }).get() {
      case .file(let file): files.append(file)
      case .folder(let folder):
        for path in folder.unreadable {
          context.screen.warn("kennel: Could not read the folder \(path). It was skipped.")
        }
        for path in folder.unnamed {
          context.screen.warn(
            "kennel: The name of \(path) is not valid UTF-8. It was skipped. Rename it, and try again.")
        }
        skippedCount += folder.unreadable.count + folder.unnamed.count
        files += folder.files
        otherCount += folder.otherCount
      }
    }
    // One order for the files of all arguments.
    files.sort(by: PhotoFolder.File.isOlder)
    guard !files.isEmpty else {
      throw Failure(
        .failure, "No photos were found. Give JPEG, PNG, WebP, GIF, HEIC or AVIF files, or folders with them."
      )
    }
    return try await context.withStore { [files, otherCount, skippedCount] store in
      let author = try await UserCommand.author(context, store)
      let isDry = context.arguments.has("dry-run")
      let work = PhotoImport(
        store: store, author: author.id, takesCaptions: context.arguments.has("captions"), isDry: isDry)
      let progress = context.progress.begin("photos", unit: .items, total: Int64(files.count))
      let report = try await work.run(files) { done, file, result in
        progress.advance(to: Int64(done))
        switch result {
        case .added: if isDry { try await context.output.write("\(DisplayText.safe(file.path))\n") }
        case .known: break
        case .failed(let failure): context.screen.warn("kennel: \(file.path): \(failure.message)")
        }
      }
      progress.end()
      await context.progress.stop()
      let failedCount = report.failures.count + skippedCount
      let summary = summary(
        report, failedCount: failedCount, otherCount: otherCount, author: author, isDry: isDry)
      // The standard output of a dry run contains only the paths.
      if isDry { context.screen.say(summary) } else { try await context.output.write(summary + "\n") }
      if failedCount == 0 { return .success }
      return report.added + report.known > 0 ? .partial : .failure
    }
  }

  /// - Parameter failedCount: the number of files that failed, and of files and folders that could not be read.
  static func summary(
    _ report: PhotoImport.Report, failedCount: Int, otherCount: Int, author: User, isDry: Bool
  ) -> String {
    let photos = report.added == 1 ? "1 photo" : "\(report.added) photos"
    var parts = ["\(photos) \(isDry ? "would be posted" : "posted") by \(author.name)"]
    if report.known > 0 { parts.append("\(report.known) already posted") }
    if failedCount > 0 { parts.append("\(failedCount) \(isDry ? "would fail" : "failed")") }
    if otherCount > 0 { parts.append("\(otherCount) other \(otherCount == 1 ? "file" : "files") skipped") }
    return parts.joined(separator: ", ")
  }

  /// Runs blocking work outside Swift's thread pool.
  private static func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }
}
