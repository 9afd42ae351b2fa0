import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

/// Fake decoders that count calls. An image is one pixel for each form. Enlarging an image in memory is invalid.
final class FakeWorkerFactory: ThumbnailWorkerFactory {
  struct Counts: Sendable, Equatable {
    var begun = 0
    var finished = 0
    var derived = 0
    var cancelled = 0
    var previews = 0
    var forms: [[ImageForm]] = []
  }

  private let state = Mutex(Counts())
  /// If set, each decoder waits here after its first bytes.
  let feeding: Gate?
  /// If set, making a thumbnail from an image in memory waits here.
  let deriving: Gate?
  let hasBegun = Gate()
  let wasCancelled = Gate()

  init(feeding: Gate? = nil, deriving: Gate? = nil) {
    self.feeding = feeding
    self.deriving = deriving
  }

  var counts: Counts { state.withLock { $0 } }

  fileprivate func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0) } }

  func makeWorker(
    _ forms: [ImageForm], limits: ImageLimits, orientation: ImageOrientation?
  ) -> any ThumbnailWorker {
    count {
      $0.begun += 1
      $0.forms.append(forms)
    }
    return FakeWorker(self, forms)
  }

  func derive(_ form: ImageForm, from image: UIImage, priority: WorkPriority) async throws(ImageError)
    -> UIImage
  {
    count { $0.derived += 1 }
    if let deriving, await !deriving.wait() { throw .cancelled }
    if form.target?.enlarges == true { throw ImageError(.invalidRequest, "The size is too large.") }
    return image
  }
}

/// A fake decoder that fails if the bytes begin with `bad`. Its pixel is a digest of the bytes.
final class FakeWorker: ThumbnailWorker {
  private let factory: FakeWorkerFactory
  private let forms: [ImageForm]
  private let bytes = Mutex(Data())

  init(_ factory: FakeWorkerFactory, _ forms: [ImageForm]) {
    self.factory = factory
    self.forms = forms
  }

  func feed(_ piece: Data, priority: WorkPriority) async throws(ImageError) {
    bytes.withLock { $0.append(piece) }
    factory.hasBegun.open()
    if let gate = factory.feeding, await !gate.wait() {
      factory.count { $0.cancelled += 1 }
      factory.wasCancelled.open()
      throw .cancelled
    }
  }

  func finish(priority: WorkPriority) async throws(ImageError) -> ThumbnailOutcome {
    let data = bytes.withLock { $0 }
    guard !data.starts(with: Data("bad".utf8)) else { throw ImageError(.corrupt, "The image is invalid.") }
    factory.count { $0.finished += 1 }
    return .images(forms.map { _ in .success(.pixel(of: data)) })
  }

  func preview(priority: WorkPriority) async throws(ImageError) -> UIImage? {
    factory.count { $0.previews += 1 }
    return .pixel(of: Data())
  }
}

extension UIImage {
  /// Returns one pixel that identifies the bytes it was made from.
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

/// A wall clock that changes only when a test sets it.
final class ManualDate: Sendable {
  private let state = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
  var now: Date { state.withLock { $0 } }
  func advance(by seconds: TimeInterval) { state.withLock { $0 += seconds } }
}

/// A pipeline with fake decoders and its surroundings.
struct PipelineUnderTest {
  let factory: FakeWorkerFactory
  let clock = ManualClock()
  let date: ManualDate
  let pipeline: ImagePipeline
  var core: PipelineCore { pipeline.core }

  init(
    factory: FakeWorkerFactory = FakeWorkerFactory(), disk: TemporaryDirectory? = nil,
    date: ManualDate = ManualDate(),
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) {
    var configuration = ImagePipeline.Configuration()
    configuration.diskCache = disk.map { DiskCacheOptions(directory: $0.file("images")) }
    change(&configuration)
    self.factory = factory
    self.date = date
    pipeline = ImagePipeline(configuration, workerFactory: factory, clock: clock, now: { date.now })
  }

  /// Waits until all pending work is done and written to disk.
  func flush() async {
    _ = await eventually { core.state.withLock { $0.turns.isOver } }
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

/// Returns the error of an operation that should fail.
func failure<Value>(
  _ sourceLocation: SourceLocation = #_sourceLocation, of work: () async throws -> Value
) async -> (any Error)? {
  do {
    _ = try await work()
    Issue.record("The operation did not fail", sourceLocation: sourceLocation)
    return nil
  } catch {
    return error
  }
}
