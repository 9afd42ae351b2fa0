import KennelModel
import TerminalProgram

enum CheckCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let work = context.progress.begin("checking photos", unit: .items)
    let report = try await report(context)
    work.end()
    await context.progress.stop()
    for problem in report.problems { try await context.output.write("\(problem)\n") }
    try await context.output.write(summary(report) + "\n")
    if report.notExaminedCount > 0 {
      let (subject, object) =
        report.notExaminedCount == 1
        ? ("1 post has", "it") : ("\(report.notExaminedCount) posts have", "them")
      context.screen.say(
        "\(subject) a photo of an earlier version. Its place is taken out before others get \(object), or when kennel serve runs."
      )
    }
    if report.unfinishedUploadCount > 0 {
      let uploads =
        report.unfinishedUploadCount == 1 ? "1 upload is" : "\(report.unfinishedUploadCount) uploads are"
      context.screen.say("\(uploads) not finished. Each can be resumed for a day and is then removed.")
    }
    return report.isClean ? .success : .failure
  }

  /// Without the option `repair`, the kennel is only read.
  private static func report(_ context: CommandContext) async throws -> StoreReport {
    let readsPhotos = !context.arguments.has("quick")
    guard context.arguments.has("repair") else {
      try context.requireKennel()
      return try await KennelStore.check(
        context.settings.dataDirectory, readsPhotos: readsPhotos,
        configuration: try await context.storeConfiguration(isReading: true))
    }
    return try await context.withStore { store in
      try await store.check(readsPhotos: readsPhotos, repairs: true)
    }
  }

  static func summary(_ report: StoreReport) -> String {
    let photos = report.photoCount == 1 ? "1 photo" : "\(report.photoCount) photos"
    let removed =
      switch report.removedCount {
      case 0: ""
      case 1: " 1 photo without a post was removed."
      default: " \(report.removedCount) photos without a post were removed."
      }
    let found =
      switch report.problems.count {
      case 0: "no problems found."
      case 1: "1 problem found."
      default: "\(report.problems.count) problems found."
      }
    let search = report.isSearchRebuilt ? " The search index was rebuilt." : ""
    return "\(photos): \(found)\(removed)\(search)"
  }
}
