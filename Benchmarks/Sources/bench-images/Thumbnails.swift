// Makes thumbnails of the bytes of a file.
import Foundation
import RetrieverImages

struct Thumbnails {
  private static let quality = 0.8
  private let options: Options
  private let data: Data

  init(_ options: Options) throws {
    self.options = options
    data = try options.data()
  }

  func repeated() async throws -> Report {
    // Work that is done only once does not count.
    _ = try await jpeg(of: thumbnail())
    let resident = Memory.resident
    let used = processorSeconds()
    let started = monotonicNanoseconds()
    let deadline = started + Int(options.seconds * 1e9)
    var (count, bytes) = (0, 0)
    repeat {
      bytes += try await jpeg(of: thumbnail()).count
      count += 1
    } while monotonicNanoseconds() < deadline
    var report = Report(
      requests: count, seconds: Double(monotonicNanoseconds() - started) / 1e9, bytes: bytes,
      residentAtStart: resident)
    report.processorSeconds = processorSeconds() - used
    return report
  }

  func written() async throws -> Report {
    guard let output = options.output else { throw Failure("--output is missing") }
    let folder = URL(filePath: output, directoryHint: .isDirectory)
    let image = try await thumbnail()
    let jpeg = try await jpeg(of: image)
    let pixels = try await image.pixels()
    guard !pixels.hasAlpha else { throw Failure("the thumbnail is not opaque") }
    let header = "P6\n\(pixels.width) \(pixels.height)\n255\n"
    try jpeg.write(to: folder.appending(path: "thumbnail.jpg"))
    try Data(header.utf8 + pixels.samples).write(to: folder.appending(path: "thumbnail.ppm"))
    return Report(requests: 1, seconds: 0, bytes: jpeg.count)
  }

  private func thumbnail() async throws -> UIImage {
    guard let image = UIImage(data: data) else {
      throw Failure("\(options.subject) is not a supported image")
    }
    return try await image.thumbnail(options.target)
  }

  private func jpeg(of image: UIImage) async throws -> Data {
    guard let jpeg = image.jpegData(compressionQuality: Self.quality) else {
      throw Failure("could not encode the thumbnail as JPEG")
    }
    return jpeg
  }
}
