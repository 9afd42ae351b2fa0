// Makes a thumbnail of a picture from the network, and decodes it while it arrives.
import Foundation
import RetrieverImages

struct Fetched {
  private let options: Options
  private let url: URL

  init(_ options: Options) throws {
    guard let url = URL(string: options.subject) else {
      throw Failure("\(options.subject) is not a valid URL")
    }
    self.options = options
    self.url = url
  }

  func report() async throws -> Report {
    var configuration = ImagePipeline.Configuration()
    configuration.diskCache = nil
    let pipeline = ImagePipeline(configuration)
    Memory.resetPeak()
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let image = try await pipeline.thumbnail(for: ImageRequest(url: url, target: options.target))
    let finished = monotonicNanoseconds()
    guard image.size.width > 0 else { throw Failure("the thumbnail is empty") }
    var report = Report(
      requests: 1, seconds: Double(finished - started) / 1e9, bytes: 0, residentAtStart: resident)
    report.finished = finished
    return report
  }
}
