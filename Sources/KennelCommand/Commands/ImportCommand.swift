import Foundation
import KennelCore
import TerminalProgram

enum ImportCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    var (files, others): ([PhotoFolder.File], Int) = ([], 0)
    for path in context.arguments.operands {
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue
      else {
        throw Failure(.fileSystem, "there is no folder \(path)")
      }
      let folder = await onThread { PhotoFolder(path) }
      for path in folder.unreadable {
        context.screen.warn("kennel: \(path) cannot be read, and was left out")
      }
      files += folder.files
      others += folder.others
    }
    guard !files.isEmpty else {
      throw Failure(.failure, "there is no photo in that: JPEG, PNG, WebP and GIF are taken")
    }
    if context.arguments.has("dry-run") {
      for file in files { try await context.output.write("\(DisplayText.safe(file.path))\n") }
      return .success
    }
    return try await context.withStore { [files, others] store in
      let author = try await author(context, store)
      let work = PhotoImport(
        store: store, author: author.id, takesCaptions: context.arguments.has("captions"))
      let progress = context.progress.begin("photos", unit: .items, total: Int64(files.count))
      let report = try await work.run(files) { done, failure in
        progress.advance(to: Int64(done))
        if let (path, failure) = failure { context.screen.warn("kennel: \(path): \(failure.message)") }
      }
      progress.end()
      await context.progress.stop()
      try await context.output.write(summary(report, others: others, author: author) + "\n")
      if report.failures.isEmpty { return .success }
      return report.added + report.known > 0 ? .partial : .failure
    }
  }

  static func summary(_ report: PhotoImport.Report, others: Int, author: User) -> String {
    func photos(_ count: Int) -> String { count == 1 ? "1 photo" : "\(count) photos" }
    var parts = ["\(photos(report.added)) posted by \(author.name)"]
    if report.known > 0 { parts.append("\(report.known) already there") }
    if !report.failures.isEmpty { parts.append("\(report.failures.count) failed") }
    if others > 0 { parts.append("\(others) other \(others == 1 ? "file" : "files") left out") }
    return parts.joined(separator: ", ")
  }

  private static func author(_ context: CommandContext, _ store: KennelStore) async throws -> User {
    if let name = context.arguments.value("as") { return try await UserCommand.user(name, store) }
    let owners = try await store.accounts.users().filter { $0.role == .owner }
    guard let owner = owners.first else {
      throw Failure(.failure, "there is no account yet: kennel user add NAME makes the owner's")
    }
    guard owners.count == 1 else { throw UsageError("there are several owners: say --as NAME") }
    return owner
  }

  /// Blocking work, on a thread that may be blocked.
  private static func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }
}
