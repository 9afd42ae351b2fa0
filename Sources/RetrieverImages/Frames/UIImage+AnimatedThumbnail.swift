import Foundation

extension UIImage {
  /// Returns an animated thumbnail as a WebP file. *Beyond Apple's API.*
  ///
  /// Each frame of the animation is scaled as ``thumbnail(_:priority:damage:)`` does it, and encoded before the next one is
  /// decoded. The thumbnail has the durations and the number of repetitions that viewers use for the original. The
  /// thumbnail of a still image is a still WebP, which shows what could be decoded if the image is damaged. Damage of an
  /// animation is an error.
  ///
  /// The library works on its own threads. If the task is cancelled, the work ends between two rows. ``ImageLimits``
  /// applies: decoding may take as long as ``ImageLimits/duration`` permits, and so may scaling and encoding.
  ///
  /// - Parameters:
  ///   - target: The size of the thumbnail, and the way to fit the animation into it.
  ///   - quality: The quality from 0 to 1.
  ///   - maximumFrames: The maximum number of frames in the thumbnail. Of an animation with more, every second frame is
  ///     kept, or every third, and so on; the others' time is added to them.
  ///   - priority: The priority of the work.
  /// - Throws: ``ImageError``
  public func animatedThumbnail(
    _ target: ThumbnailTarget, quality: Double = 0.75, maximumFrames: Int = 100,
    priority: WorkPriority = .normal
  ) async throws -> Data {
    try await animatedThumbnail(
      target, quality: quality, maximumFrames: maximumFrames, priority: priority, damage: .tolerate
    ).data
  }

  /// Returns an animated thumbnail as a WebP file, and what was wrong with the data of a still image.
  ///
  /// - Parameter policy: Whether damage of a still image is an error.
  package func animatedThumbnail(
    _ target: ThumbnailTarget, quality: Double, maximumFrames: Int, priority: WorkPriority = .normal,
    damage policy: DamagePolicy
  ) async throws -> (data: Data, damage: [ImageDamage]) {
    guard maximumFrames > 0 else {
      throw ImageError(.invalidRequest, "The maximum number of frames is \(maximumFrames). Use at least 1.")
    }
    let frameCount = try await WorkPool.shared.run(priority: priority) { (flag) throws(ImageError) -> Int? in
      try self.frameCount(flag: flag)
    }
    guard let count = frameCount else {
      let still = try await thumbnail(target, priority: priority, damage: policy)
      return (try await still.data(as: .webp(quality: quality)), still.damage)
    }
    let step = (count - 1) / maximumFrames + 1
    let work = AnimatedThumbnailWork(target, quality: quality, limits: limits)
    for try await frame in frames {
      try await work.add(frame, isKept: frame.index.isMultiple(of: step), priority: priority)
    }
    return (try await work.finish(priority: priority), [])
  }

  /// Returns the number of complete frames of an animation, without decoding them; nil for a still image.
  private func frameCount(flag: CancellationFlag) throws(ImageError) -> Int? {
    if let images { return images.count > 1 ? images.count : nil }
    guard case .encoded(let data, _) = source else { return nil }
    return try data.withBytes { (bytes) throws(ImageError) -> Int? in
      var (rest, count, scanner) = (bytes, 0, FrameScanner(limits: limits))
      do throws(ImageError) {
        while try scanner.next(&rest) != nil {
          try flag.check()
          count += 1
        }
      } catch  where error.isDamage && count == 0 {
        // The decoder finds out whether a part of the first frame can be shown.
        return nil
      }
      guard count == 1 else { return count > 1 ? count : nil }
      // A file that ends within its second frame is a damaged animation.
      do throws(ImageError) {
        _ = try scanner.finish()
        return nil
      } catch {
        return 1
      }
    }
  }
}

/// Scales and encodes frames in the work pool.
// Unchecked because only one job may use the state at a time. Only the task that owns this object calls it, and awaits
// each call before the next. The pool's lock orders the writes of one thread before the reads of the next.
private final class AnimatedThumbnailWork: @unchecked Sendable {
  private let target: ThumbnailTarget
  private let quality: Double
  private let budget: TimeBudget
  private let flag = CancellationFlag()
  private var writer: AnimatedWebPWriter?

  init(_ target: ThumbnailTarget, quality: Double, limits: ImageLimits) {
    self.target = target
    self.quality = quality
    budget = TimeBudget(limits.duration)
  }

  /// Adds a frame; one that is not kept only makes the frame before it longer.
  func add(_ frame: ImageFrame, isKept: Bool, priority: WorkPriority) async throws(ImageError) {
    let milliseconds = frame.duration.wholeMilliseconds
    try await run(priority) { (work) throws(ImageError) in
      if !isKept, work.writer != nil {
        work.writer?.extendLast(by: milliseconds)
        return
      }
      let bitmap = try frame.image.decoded(to: work.target, flag: work.flag).bitmap()
      if work.writer == nil {
        work.writer = AnimatedWebPWriter(loopCount: frame.loopCount, quality: work.quality)
      }
      try work.writer?.add(bitmap, milliseconds: milliseconds)
    }
  }

  func finish(priority: WorkPriority) async throws(ImageError) -> Data {
    try await run(priority) { (work) throws(ImageError) in
      guard var writer = work.writer else { throw ImageError(.corrupt, "The image has no frames.") }
      return try writer.finish()
    }
  }

  private func run<Value: Sendable>(
    _ priority: WorkPriority, _ job: @escaping @Sendable (AnimatedThumbnailWork) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    try await WorkPool.shared.run(priority: priority, flag: flag) { (_) throws(ImageError) in
      try self.budget.spend { () throws(ImageError) in try job(self) }
    }
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: Int {
    Int(components.seconds) * 1_000 + Int((Double(components.attoseconds) / 1e15).rounded())
  }
}
