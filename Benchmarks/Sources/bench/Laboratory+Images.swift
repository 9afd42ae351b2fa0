// Thumbnails: what they cost, and how good they are.
import Foundation

extension Laboratory {
  func thumbnails(_ contender: Contender, _ picture: PictureFile) throws -> Reading {
    let file = try picture.make(in: place)
    // An image takes milliseconds: half the time is plenty.
    let seconds = "\(settings.seconds / 2)"
    let size = "\(Measurement.thumbnailSize)"
    let arguments =
      switch contender.program {
      case .libvips, .pillow: [thumbnailer, contender.thumbnailerName, file.path, seconds, size]
      case .jpeg: [file.path, seconds, "\(contender.count ?? 8)"]
      default: [contender.mode, file.path, "--size", size, "--seconds", seconds]
      }
    let child = try Child(contender.path(place), arguments)
    let statement = try Statement(child.line(within: Laboratory.patience))
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(statement: statement, cpuSeconds: usage.cpuSeconds)
  }

  func quality(_ contender: Contender, _ picture: PictureFile) throws -> Reading {
    let file = try picture.make(in: place)
    let folder = place.work.appending(path: "thumbnail", directoryHint: .isDirectory)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let size = "\(Measurement.thumbnailSize)"
    let arguments =
      switch contender.program {
      case .libvips, .pillow:
        [thumbnailer, contender.thumbnailerName, file.path, "--output", folder.path, size]
      default: ["output", file.path, "--size", size, "--output", folder.path]
      }
    _ = try Child(contender.path(place), arguments).finish(within: Laboratory.patience)
    let judge = place.root.appending(path: "Benchmarks/peers/quality.py").path
    let child = try Child(place.python, [judge, file.path, folder.path, size])
    let statement = try Statement(child.line(within: Laboratory.patience))
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(statement: statement, cpuSeconds: usage.cpuSeconds)
  }

  private var thumbnailer: String { place.root.appending(path: "Benchmarks/peers/thumbnail.py").path }
}

extension Contender {
  /// As Benchmarks/peers/thumbnail.py has it.
  fileprivate var thumbnailerName: String {
    switch program {
    case .libvips: mode == "linear" ? "libvips-linear" : "libvips"
    default: "pillow"
    }
  }
}
