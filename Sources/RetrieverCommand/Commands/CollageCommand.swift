import Foundation
import Glibc
import Retriever
import RetrieverImages
import TerminalProgram

/// `retriever collage`: draws a list of images to one. Images are fetched and scaled while the list is still loading.
enum CollageCommand {
  private static let usualOutput = "collage.jpg"

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let start = ContinuousClock.now
    let arguments = context.arguments
    let list = try CollageList(arguments)
    let cell = try arguments.size("cell", most: 4_096) ?? (160, 160)
    let layout = CollageLayout(
      columns: try arguments.integer("columns", in: 1...1_000, default: 4), cellWidth: cell.width,
      cellHeight: cell.height, spacing: try arguments.integer("spacing", in: 0...1_024, default: 8),
      background: try arguments.color("background") ?? .init(red: 255, green: 255, blue: 255),
      contentMode: arguments.has("fit") ? .fit : .fill)
    let destination = try Destination(arguments.value("output"), count: 1, usual: .file(usualOutput))
    let path: String
    switch destination {
    case .standardOutput: path = "-"
    case .file(let file): path = file
    case .directory(let directory): path = Destination.path(usualOutput, in: directory)
    }
    let encoding = try ImageWork.encoding(arguments, path: path).encoding
    if path != "-", !arguments.has("force"), FileSystem.kind(path) == .regular {
      throw FileSystem.exists(path)
    }
    try destination.prepare()
    let work = try await ImageWork(context, urls: list.namedURLs)

    let gathering = CollageGathering(work, layout, list)
    let (images, statuses) = try await gathering.run()
    if Task.isCancelled {
      context.screen.say("Cancelled. No collage was created.")
      return .interrupted
    }
    guard images.contains(where: { $0 != nil }) else { return failed(statuses, list, context) }
    let collage = Collage(layout: layout)
    for image in images { if let image = image ?? emptyCell { collage.add(image) } }
    let picture = await collage.draw()
    try Task.checkCancellation()
    let data = try await picture.data(as: encoding)
    try await work.write(data, to: path)
    let report = ImageReport(
      source: list.shown, file: path, width: Int(picture.size.width), height: Int(picture.size.height),
      bytes: data.count, images: images.count { $0 != nil }, failed: images.count { $0 == nil },
      damage: picture.damage.isEmpty ? nil : picture.damage.map(\.description),
      seconds: (.now - start).inSeconds)
    try await context.reports.write(report)
    if path != "-" { context.screen.say(summary(report)) }
    return .combined(statuses)
  }

  private static func failed(
    _ statuses: [ExitStatus], _ list: CollageList, _ context: CommandContext
  ) -> ExitStatus {
    if statuses.isEmpty {
      context.screen.warn("retriever: \(list.shown): The list is empty.")
      return .failure
    }
    context.screen.warn("retriever: \(list.shown): No image could be loaded, so no collage was created.")
    return .combined(statuses)
  }

  private static func summary(_ report: ImageReport) -> String {
    let failed = report.failed ?? 0
    let missing = failed > 0 ? ", \(failed) \(failed == 1 ? "cell" : "cells") empty" : ""
    return "\(report.file): \(report.images ?? 0) images\(missing), \(report.width) × \(report.height), "
      + "\(ByteText.short(Int64(report.bytes))), in \(ByteText.duration(report.seconds))"
  }

  /// An invisible image for cells that stay empty.
  private static var emptyCell: UIImage? {
    UIImage(width: 1, height: 1, pixels: [.init(red: 0, green: 0, blue: 0, alpha: 0)])
  }
}

/// Fetches the thumbnails of a list, several at a time, and keeps them in the order of the list.
struct CollageGathering {
  private let work: ImageWork
  private let layout: CollageLayout
  private let list: CollageList

  init(_ work: ImageWork, _ layout: CollageLayout, _ list: CollageList) {
    self.work = work
    self.layout = layout
    self.list = list
  }

  func run() async throws -> (images: [UIImage?], statuses: [ExitStatus]) {
    let context = work.context
    let target = ThumbnailTarget(
      width: layout.cellWidth, height: layout.cellHeight, mode: layout.contentMode == .fit ? .fit : .fill,
      enlarges: true)
    let progress = context.progress.begin("images", unit: .items, total: nil)
    defer { progress.end() }
    return try await withThrowingTaskGroup(of: (Int, Result<UIImage, Failure>).self) { group in
      var images: [UIImage?] = []
      var statuses: [ExitStatus] = []
      var done: Int64 = 0
      func take(_ result: (Int, Result<UIImage, Failure>)) async {
        done += 1
        progress.advance(to: done)
        switch result.1 {
        case .success(let image): images[result.0] = image
        case .failure(let failure): statuses[result.0] = failure.status
        }
      }
      do {
        // Reads ahead a little, so that there is always an image to start with.
        for try await id in try await list.ids(work) {
          if Task.isCancelled { break }
          if images.count >= layout.capacity {
            context.screen.warn(
              "retriever: \(list.shown): The collage holds \(layout.capacity) images. The rest is ignored.")
            statuses.append(.tooLarge)
            break
          }
          let index = images.count
          images.append(nil)
          statuses.append(.success)
          if index >= work.parallel * 2, let result = try await group.next() { await take(result) }
          group.addTask { [work] in (index, await Self.fetch(id, list, target, work)) }
        }
      } catch {
        // The images listed before the error are still drawn.
        statuses.append(await context.report(error, about: list.shown))
      }
      progress.expect(Int64(images.count))
      while let result = try await group.next() { await take(result) }
      return (images, statuses)
    }
  }

  private static func fetch(
    _ id: String, _ list: CollageList, _ target: ThumbnailTarget, _ work: ImageWork
  ) async -> Result<UIImage, Failure> {
    let shown = CollageList.shown(id)
    do {
      let image = try await work.thumbnail(of: try list.url(of: id), target)
      work.warn(of: image.damage, in: shown)
      return .success(image)
    } catch {
      let failure = Failure(error)
      _ = await work.context.report(failure, about: shown)
      return .failure(failure)
    }
  }
}
