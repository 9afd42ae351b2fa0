import KennelModel
import KennelStorage
import StoredPhotos
import Synchronization
import TerminalProgram

enum MoveCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    try context.requireKennel()
    let directory = context.settings.dataDirectory
    // A switch that was interrupted is completed first, because it changes what the kennel is now.
    try FileSwitch.complete(in: directory)
    let plan = try MovePlan.moving(context)
    let configuration = try await context.storeConfiguration()
    let target = try await plan.target(of: directory)
    let photos = context.progress.begin("photos", unit: .items)
    let rows = Mutex<ProgressDisplay.Handle?>(nil)
    let report = try await KennelStore.move(directory, to: target, configuration: configuration) { now in
      photos.expect(Int64(now.photoCount))
      photos.advance(to: Int64(now.photos))
      guard now.rows > 0 else { return }
      let handle = rows.withLock { handle in
        let known = handle ?? context.progress.begin("rows", unit: .items)
        handle = known
        return known
      }
      handle.advance(to: Int64(now.rows))
    }
    photos.end()
    rows.withLock { $0 }?.end()
    await context.progress.stop()
    if case .directory = plan.photos { StoredPhotosPlace.removeCache(of: directory) }
    for hash in report.missing {
      context.screen.warn(
        "kennel: The photo \(hash) is missing or damaged, so it was not moved. Copy it from a backup.")
    }
    try await context.output.write("\(directory): moved \(contents(report, plan))\n")
    for sentence in advice(report, plan, directory) { context.screen.say(sentence) }
    return report.missing.isEmpty ? .success : .partial
  }

  private static func contents(_ report: MoveReport, _ plan: MovePlan) -> String {
    var parts: [String] = []
    if plan.records != nil { parts.append(report.rows == 1 ? "1 row" : "\(report.rows) rows") }
    if plan.photos != nil {
      let count = report.copiedPhotos + report.presentPhotos
      let earlier =
        report.presentPhotos > 0 ? " (\(report.presentPhotos) of them were there already)" : ""
      parts.append((count == 1 ? "1 file of photos" : "\(count) files of photos") + earlier)
    }
    return parts.joined(separator: ", ")
  }

  /// Returns what the owner should do now.
  private static func advice(_ report: MoveReport, _ plan: MovePlan, _ directory: String) -> [String] {
    var sentences: [String] = []
    switch plan.records {
    case nil: break
    case .file:
      sentences.append(
        "Remove the setting database from kennel.conf and KENNEL_DATABASE before you start the server.")
    case .postgres:
      sentences.append(
        "Set database in kennel.conf, or KENNEL_DATABASE, to the address of the database before you start the server."
      )
    }
    if case .directory = plan.photos {
      sentences.append("Remove the setting photos. The objects in the store can be deleted when all works.")
    }
    if case .store = plan.photos {
      sentences.append("Set photos in kennel.conf to the address of the store, or leave it out.")
    }
    sentences.append(
      "Earlier files of the kennel stay in \(directory) with \(MoveTarget.leftMark) in their names. Remove them when all works."
    )
    if report.unfinishedUploads > 0 {
      let uploads =
        report.unfinishedUploads == 1
        ? "1 unfinished upload was" : "\(report.unfinishedUploads) unfinished uploads were"
      sentences.append("\(uploads) left behind. The photos can be uploaded again.")
    }
    return sentences
  }
}
