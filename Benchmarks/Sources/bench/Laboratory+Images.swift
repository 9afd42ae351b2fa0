// Measures the cost and the quality of thumbnails.
import Foundation

extension Laboratory {
  func thumbnails(_ contender: Contender, _ picture: PictureFile) throws -> Reading {
    let file = try picture.make(in: place)
    // An image takes milliseconds, so half the time is enough.
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

  func trickled(_ contender: Contender, _ picture: PictureFile, bytesPerSecond: Int) throws -> Reading {
    let file = try picture.make(in: place)
    let server = try Child(
      place.build.appending(path: "peers/trickle").path, [file.path, "\(bytesPerSecond)"])
    func number(after word: String, whileRunning client: Child? = nil) throws -> Int {
      let line = try server.line(within: Laboratory.patience, whileRunning: client)
      let words = line.split(separator: " ")
      guard words.count == 2, words[0] == word, let number = Int(words[1]) else {
        throw Problem("the slow server did not print “\(word)”")
      }
      return number
    }
    let url = "http://127.0.0.1:\(try number(after: "port"))/\(picture.name)"
    let child = try Child(
      contender.path(place), [contender.mode, url, "--size", "\(Measurement.thumbnailSize)"])
    let last = try number(after: "last", whileRunning: child)
    let statement = try Statement(child.line(within: Laboratory.patience))
    let usage = try child.finish(within: Laboratory.patience)
    guard let finished = statement.finishedNs else {
      throw Problem("the client did not report when it had the thumbnail")
    }
    let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
    return Reading(
      statement: statement, cpuSeconds: usage.cpuSeconds,
      secondsAfterLastByte: Double(finished - last) / 1e9, fileBytes: size?.intValue)
  }

  func served(_ contender: Contender, _ picture: PictureFile) throws -> Reading {
    _ = try picture.make(in: place)
    let service = try ThumbnailService(contender, place)
    // The service ends when this call returns or throws.
    return try withExtendedLifetime(service) {
      let size = Measurement.servedSize
      let height = (picture.height * size + picture.width / 2) / picture.width
      let url =
        "http://127.0.0.1:\(service.port)/unsafe/fit-in/\(size)x\(size)/filters:quality(80)/\(web.host)/distinct"
      let client = Contender(.images, "load")
      let arguments = [
        client.mode, url, "--picture", picture.name, "--expected", "\(size)x\(height)", "--seconds",
        "\(settings.seconds)",
      ]
      let child = try Child(client.path(place), arguments)
      guard try child.line(within: Laboratory.patience) == "warm" else {
        throw Problem("the client of the thumbnail server did not print “warm”")
      }
      let before = service.processorSeconds
      let statement = try Statement(child.line(within: Laboratory.patience))
      let used = service.processorSeconds - before
      _ = try child.finish(within: Laboratory.patience)
      return Reading(statement: statement, cpuSeconds: used)
    }
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
  /// The name in Benchmarks/peers/thumbnail.py.
  fileprivate var thumbnailerName: String {
    switch program {
    case .libvips: mode == "linear" ? "libvips-linear" : "libvips"
    default: "pillow"
    }
  }
}
