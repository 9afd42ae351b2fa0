import Foundation
import Retriever

/// Loads images from URLs, decodes them while they arrive, and caches images and thumbnails.
///
/// ```swift
/// let photo = try await ImagePipeline.shared.thumbnail(from: url, fitting: CGSize(width: 320, height: 320))
/// ```
///
/// **Shared work.** Equal requests share one job. Several sizes of one URL share one fetch; those requested before the
/// first bytes arrive also share one decode. A size that is requested later is made from a larger thumbnail that is in
/// memory or in progress. That thumbnail must show the same part of the image, and be at least twice as large in both
/// directions. Otherwise, the pipeline decodes the bytes again, from memory while they are in use, or from the disk
/// cache. It never fetches the same image twice at the same time. Cancelling a request does not affect others; after
/// the last one is cancelled, the fetch and the decode end immediately.
///
/// **Caches.** The pipeline keeps thumbnails in memory, and images as the server sent them on disk. Both caches are
/// limited. They follow the rules of HTTP, including `stale-while-revalidate`. Some images are not
/// stored on disk: those whose request has a cookie or another header field that may identify the user, and those from
/// hosts for which the session has a credential.
///
/// **Errors.** Temporary failures are retried up to three times. An interrupted fetch is resumed, even in a later
/// process, if the server sent a suitable validator. Errors are `URLError` for the network and ``ImageError`` for
/// images, each with a message. Of a damaged image, the pipeline returns what could be decoded, and ``UIImage/damage``
/// lists what was wrong; ``Configuration/damagePolicy`` changes this. An image that is incomplete is not cached.
public final class ImagePipeline: Sendable {
  /// A pipeline with the default configuration, shared by the complete program.
  public static let shared = ImagePipeline()

  /// The configuration that the pipeline was created with.
  public let configuration: Configuration
  let core: PipelineCore

  /// Creates a pipeline with its own caches.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(
      configuration, workerFactory: PooledThumbnailWorkerFactory(policy: configuration.damagePolicy),
      clock: ContinuousClock(), now: { Date() })
  }

  init(
    _ configuration: Configuration, workerFactory: any ThumbnailWorkerFactory, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Date
  ) {
    self.configuration = configuration
    core = PipelineCore(configuration, workerFactory: workerFactory, clock: clock, now: now)
  }

  deinit { core.cancelAllPrefetches() }

  // MARK: Images

  /// Returns the thumbnail for a request.
  ///
  /// If the task is cancelled, the request is cancelled too.
  ///
  /// - Throws: `URLError` for network failures, including error statuses; ``ImageError`` for an invalid image, or with
  ///   the code ``ImageError/Code-swift.struct/cancelled`` if the task was cancelled.
  public func thumbnail(for request: ImageRequest) async throws -> UIImage {
    let load = LoadState(priority: request.priority)
    return try await withTaskCancellationHandler {
      core.start(load, request)
      return try await load.value()
    } onCancel: {
      core.cancel(load)
    }
  }

  /// Returns a thumbnail of the image at a URL.
  ///
  /// - Parameters:
  ///   - url: The URL of the image.
  ///   - size: The size in pixels.
  ///   - mode: The way to fit an image with another aspect ratio.
  ///   - priority: The priority of the request.
  /// - Throws: The errors of ``thumbnail(for:)``.
  public func thumbnail(
    from url: URL, fitting size: CGSize, mode: ThumbnailTarget.Mode = .fit, priority: WorkPriority = .normal
  ) async throws -> UIImage {
    let target = ThumbnailTarget(
      width: Self.pixels(size.width), height: Self.pixels(size.height), mode: mode)
    return try await thumbnail(for: ImageRequest(url: url, target: target, priority: priority))
  }

  /// Returns the image at a URL at its own size.
  ///
  /// - Throws: The errors of ``thumbnail(for:)``.
  public func image(from url: URL, priority: WorkPriority = .normal) async throws -> UIImage {
    try await thumbnail(for: ImageRequest(url: url, target: nil, priority: priority))
  }

  /// Starts to load a thumbnail, and returns a load that can be awaited, reprioritized and cancelled.
  public func load(_ request: ImageRequest) -> ImageLoad {
    let load = LoadState(priority: request.priority)
    core.start(load, request)
    return ImageLoad(request, load, core)
  }

  /// Returns a sequence of updates: the progress, what can be shown so far, and finally the thumbnail.
  ///
  /// The pipeline makes at most three previews, and only while the decoder waits for bytes. The load starts with the
  /// iteration; leaving the loop cancels it.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - placeholder: The hash of an image to show first; nil for none.
  public func updates(
    for request: ImageRequest, placeholder: ThumbHash? = nil
  ) -> ImageUpdates {
    ImageUpdates { [core] continuation in
      let load = LoadState(priority: request.priority, updates: continuation)
      continuation.onTermination = { reason in
        if case .cancelled = reason { core.cancel(load) }
      }
      if let image = placeholder?.image { continuation.yield(.placeholder(image)) }
      core.start(load, request)
    }
  }

  // MARK: Prefetching

  /// Prepares thumbnails that will probably be requested soon.
  ///
  /// Prefetches have the lowest priority and use at most a third of the fetches and decodes. If somebody requests the
  /// same thumbnail, its prefetch gets that priority. Failures are not reported. If more than 2,000 prefetches wait,
  /// the oldest are cancelled.
  public func prefetch(_ requests: some Sequence<ImageRequest>) {
    for request in requests { core.prefetch(request) }
  }

  /// Cancels prefetches. Other requests for the same thumbnails are not affected.
  public func cancelPrefetch(_ requests: some Sequence<ImageRequest>) {
    for request in requests { core.cancelPrefetch(request) }
  }

  /// Cancels all prefetches.
  public func cancelAllPrefetches() { core.cancelAllPrefetches() }

  // MARK: Caches

  /// Removes all thumbnails from memory.
  public func removeAllFromMemory() { core.memory.removeAll() }

  private static func pixels(_ length: Double) -> Int {
    length.isFinite ? Int(min(max(length.rounded(), 0), 1e9)) : 0
  }
}

extension ImagePipeline {
  /// The traffic that the pipeline's session has recorded, if recording is on.
  package var traffic: TrafficArchive { core.session.archive }
}

extension ImagePipeline: CustomReflectable {
  /// A mirror without children, so that `dump` reads no property without its lock: what a pipeline holds changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
