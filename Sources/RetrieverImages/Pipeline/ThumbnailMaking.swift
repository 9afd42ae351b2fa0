import Foundation

/// Makes thumbnails of bytes that come piece by piece: what a pass of the pipeline drives.
///
/// Its methods are called one after the other; how urgent the work is may have changed each time. Cancelling the task that calls one ends the work between two rows.
protocol ThumbnailMaking: Sendable {
  func feed(_ bytes: Data, priority: WorkPriority) async throws(ImageError)
  /// One for each form, in their order.
  func finish(priority: WorkPriority) async throws(ImageError) -> [UIImage]
  /// What can be shown by now; nil when that is nothing.
  func preview(priority: WorkPriority) async throws(ImageError) -> UIImage?
}

/// Starts the work on images.
protocol ThumbnailMakers: Sendable {
  /// Work on one image.
  ///
  /// - Parameter byteCount: the length of the whole file, where it is known or announced.
  func begin(
    _ forms: [ImageForm], limits: ImageLimits, byteCount: Int?
  ) -> any ThumbnailMaking
  /// Another thumbnail of one that is there.
  func derive(
    _ form: ImageForm, from image: UIImage, priority: WorkPriority
  ) async throws(ImageError) -> UIImage
}

/// The real ones.
struct PooledThumbnailMakers: ThumbnailMakers {
  func begin(
    _ forms: [ImageForm], limits: ImageLimits, byteCount: Int?
  ) -> any ThumbnailMaking {
    PooledThumbnailMaking(forms, limits: limits, byteCount: byteCount)
  }

  func derive(
    _ form: ImageForm, from image: UIImage, priority: WorkPriority
  ) async throws(ImageError) -> UIImage {
    try await WorkPool.shared.run(priority: priority) { (mark) throws(ImageError) in
      try image.decoded(to: form.target, mark: mark)
    }
  }
}

/// A decoder whose work is done by the pool.
// Unchecked because a decoder belongs to one job at a time. The invariant: only the pass that owns this calls it, and it
// awaits each call before the next; the pool's lock orders what one thread wrote before what the next one reads.
private final class PooledThumbnailMaking: ThumbnailMaking, @unchecked Sendable {
  private let decoder: ThumbnailDecoder
  private let mark = CancellationMark()

  init(_ forms: [ImageForm], limits: ImageLimits, byteCount: Int?) {
    decoder = ThumbnailDecoder(
      targets: forms.map(\.target), limits: limits, byteCount: byteCount, mark: mark)
  }

  func feed(_ bytes: Data, priority: WorkPriority) async throws(ImageError) {
    try await run(priority) { (decoder) throws(ImageError) in
      try bytes.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
    }
  }

  func finish(priority: WorkPriority) async throws(ImageError) -> [UIImage] {
    try await run(priority) { (decoder) throws(ImageError) in try decoder.finish() }
  }

  func preview(priority: WorkPriority) async throws(ImageError) -> UIImage? {
    try await run(priority) { (decoder) throws(ImageError) in try decoder.preview() }
  }

  private func run<Value: Sendable>(
    _ priority: WorkPriority, _ work: @escaping @Sendable (ThumbnailDecoder) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await WorkPool.shared.run(priority: priority, mark: mark) { (_) throws(ImageError) in
      try work(self.decoder)
    }
  }
}
