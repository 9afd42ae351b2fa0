import Foundation

/// Makes thumbnails from bytes that arrive in pieces; a pass of the pipeline drives it.
///
/// Its methods are called one after the other, with a priority that may differ each time. If the calling task is
/// cancelled, the work ends between two rows.
protocol ThumbnailWorker: Sendable {
  func feed(_ bytes: Data, priority: WorkPriority) async throws(ImageError)
  func finish(priority: WorkPriority) async throws(ImageError) -> ThumbnailOutcome
  /// Returns the image as decoded so far; nil if there is nothing to show.
  func preview(priority: WorkPriority) async throws(ImageError) -> UIImage?
}

/// The result of a pass over the bytes of an image.
enum ThumbnailOutcome: Sendable {
  /// One thumbnail for each form, in their order, or the reason why the image cannot have it.
  case images([Result<UIImage, ImageError>])
  /// The file states its orientation after the pixels, and the thumbnails must be made again with it.
  case needsOrientation(ImageOrientation)
}

/// Creates the workers that make thumbnails.
protocol ThumbnailWorkerFactory: Sendable {
  /// Starts to decode an image.
  ///
  /// - Parameter orientation: The orientation, if an earlier pass found it; nil for that before the pixels.
  func makeWorker(
    _ forms: [ImageForm], limits: ImageLimits, orientation: ImageOrientation?
  ) -> any ThumbnailWorker
  /// Makes a thumbnail from an existing one.
  func derive(
    _ form: ImageForm, from image: UIImage, priority: WorkPriority
  ) async throws(ImageError) -> UIImage
}

/// The implementation that uses the work pool.
struct PooledThumbnailWorkerFactory: ThumbnailWorkerFactory {
  var policy = DamagePolicy.tolerate

  func makeWorker(
    _ forms: [ImageForm], limits: ImageLimits, orientation: ImageOrientation?
  ) -> any ThumbnailWorker {
    PooledThumbnailWorker(forms, limits: limits, orientation: orientation, policy: policy)
  }

  func derive(
    _ form: ImageForm, from image: UIImage, priority: WorkPriority
  ) async throws(ImageError) -> UIImage {
    try await WorkPool.shared.run(priority: priority) { (flag) throws(ImageError) in
      try image.smallerThumbnail(form.target, flag: flag)
    }
  }
}

/// A decoder whose work runs in the pool.
// Unchecked because only one job may use a decoder at a time. Only the pass that owns this object calls it, and awaits
// each call before the next. The pool's lock orders the writes of one thread before the reads of the next.
private final class PooledThumbnailWorker: ThumbnailWorker, @unchecked Sendable {
  private let decoder: ThumbnailDecoder
  private let flag = CancellationFlag()

  init(_ forms: [ImageForm], limits: ImageLimits, orientation: ImageOrientation?, policy: DamagePolicy) {
    decoder = ThumbnailDecoder(
      targets: forms.map(\.target), limits: limits, orientation: orientation, policy: policy, flag: flag)
  }

  func feed(_ bytes: Data, priority: WorkPriority) async throws(ImageError) {
    try await run(priority) { (decoder) throws(ImageError) in
      try bytes.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
    }
  }

  func finish(priority: WorkPriority) async throws(ImageError) -> ThumbnailOutcome {
    try await run(priority) { (decoder) throws(ImageError) in
      let images = try decoder.finishEach()
      return decoder.lateOrientation.map { .needsOrientation($0) } ?? .images(images)
    }
  }

  func preview(priority: WorkPriority) async throws(ImageError) -> UIImage? {
    try await run(priority) { (decoder) throws(ImageError) in try decoder.preview() }
  }

  private func run<Value: Sendable>(
    _ priority: WorkPriority, _ work: @escaping @Sendable (ThumbnailDecoder) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await WorkPool.shared.run(priority: priority, flag: flag) { (_) throws(ImageError) in
      try work(self.decoder)
    }
  }
}
