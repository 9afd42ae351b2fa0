import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

/// Decoders that decode nothing: an image is one pixel for each form, and what is done is counted.
final class FakeMakers: ThumbnailMakers {
  struct Counts: Sendable, Equatable {
    var begun = 0
    var finished = 0
    var derived = 0
    var cancelled = 0
    var previews = 0
    var forms: [[ImageForm]] = []
  }

  private let state = Mutex(Counts())
  /// Each decoder waits here after its first bytes.
  let feeding: Gate?
  let hasBegun = Gate()
  let wasCancelled = Gate()

  init(feeding: Gate? = nil) { self.feeding = feeding }

  var counts: Counts { state.withLock { $0 } }

  fileprivate func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

  func begin(
    _ forms: [ImageForm], limits: ImageLimits, byteCount: Int?
  ) -> any ThumbnailMaking {
    count {
      $0.begun += 1
      $0.forms.append(forms)
    }
    return FakeMaking(self, forms)
  }

  func derive(_ form: ImageForm, from image: UIImage, priority: WorkPriority) async throws(ImageError)
    -> UIImage
  {
    count { $0.derived += 1 }
    return image
  }
}

/// Unreadable when its bytes begin with `bad`. The pixel is a digest of the bytes.
final class FakeMaking: ThumbnailMaking {
  private let makers: FakeMakers
  private let forms: [ImageForm]
  private let bytes = Mutex(Data())

  init(_ makers: FakeMakers, _ forms: [ImageForm]) {
    self.makers = makers
    self.forms = forms
  }

  func feed(_ piece: Data, priority: WorkPriority) async throws(ImageError) {
    bytes.withLock { $0.append(piece) }
    makers.hasBegun.open()
    if let gate = makers.feeding, await !gate.wait() {
      makers.count { $0.cancelled += 1 }
      makers.wasCancelled.open()
      throw .cancelled
    }
  }

  func finish(priority: WorkPriority) async throws(ImageError) -> [UIImage] {
    let data = bytes.withLock { $0 }
    guard !data.starts(with: Data("bad".utf8)) else { throw ImageError(.corrupt, "The image is bad.") }
    makers.count { $0.finished += 1 }
    return forms.map { _ in .pixel(of: data) }
  }

  func preview(priority: WorkPriority) async throws(ImageError) -> UIImage? {
    makers.count { $0.previews += 1 }
    return .pixel(of: Data())
  }
}

extension UIImage {
  /// One pixel that tells what bytes it was made of.
  static func pixel(of data: Data) -> UIImage {
    let digest = data.reduce(into: UInt32(2_166_136_261)) { $0 = ($0 ^ UInt32($1)) &* 16_777_619 }
    return UIImage(
      bitmap: Bitmap(
        size: PixelSize(width: 1, height: 1), format: .rgb8,
        pixels: [0, 8, 16].map { UInt8(truncatingIfNeeded: digest >> $0) }))
  }

  var pixels: [UInt8] {
    if case .decoded(let bitmap) = source { bitmap.pixels } else { [] }
  }

  func isMade(of data: Data) -> Bool { pixels == UIImage.pixel(of: data).pixels }
}

/// A wall clock that stands still until a test moves it.
final class ManualDate: Sendable {
  private let state = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
  var now: Date { state.withLock { $0 } }
  func advance(by seconds: TimeInterval) { state.withLock { $0 += seconds } }
}

/// A pipeline with fake decoders, and what surrounds it.
struct PipelineUnderTest {
  let makers: FakeMakers
  let clock = ManualClock()
  let date: ManualDate
  let pipeline: ImagePipeline
  var core: PipelineCore { pipeline.core }

  init(
    makers: FakeMakers = FakeMakers(), disk: TemporaryDirectory? = nil, date: ManualDate = ManualDate(),
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) {
    var configuration = ImagePipeline.Configuration()
    configuration.diskCache = disk.map { DiskCacheOptions(directory: $0.file("images")) }
    change(&configuration)
    self.makers = makers
    self.date = date
    pipeline = ImagePipeline(configuration, makers: makers, clock: clock, now: { date.now })
  }

  /// Waits until everything that was decided is done, and on the disk.
  func flush() async {
    _ = await eventually { core.state.withLock { !$0.isEmptying && $0.outbox.isEmpty } }
    await core.disk?.flush()
    await core.disk?.finishSweeping()
  }
}

extension ImageRequest {
  static func fit(
    _ side: Int, _ url: URL, _ priority: WorkPriority = .normal, _ policy: CachePolicy = .use
  ) -> ImageRequest {
    ImageRequest(
      url: url, target: ThumbnailTarget(width: side, height: side), priority: priority, cachePolicy: policy)
  }
}

/// The error of something that should fail.
func failure<Value>(
  _ sourceLocation: SourceLocation = #_sourceLocation, of work: () async throws -> Value
) async -> (any Error)? {
  do {
    _ = try await work()
    Issue.record("It went well", sourceLocation: sourceLocation)
    return nil
  } catch {
    return error
  }
}
