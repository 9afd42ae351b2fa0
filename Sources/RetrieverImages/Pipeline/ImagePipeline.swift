import Foundation
import Retriever

/// From URLs to thumbnails: fetched, decoded while they arrive, and kept.
///
/// ```swift
/// let photo = try await ImagePipeline.shared.thumbnail(from: url, fitting: CGSize(width: 320, height: 320))
/// ```
///
/// **Work is shared.** Equal requests share one job. Several sizes of one URL share one fetch, and those that are asked
/// for before its first bytes arrive share one decode. A size that is asked for later is made from a larger thumbnail of
/// the same kind that is being made or is in memory, if that is at least twice as large in both directions; otherwise
/// it is decoded from the bytes that are kept, in memory while they are in use or in the disk cache. What is being
/// fetched is never fetched twice at the same time. Who cancels disturbs nobody else; with the last one, fetch and
/// decode end at once.
///
/// **What is kept.** Thumbnails in memory, images as the server sent them on disk; both are bounded. HTTP's rules for
/// caches are kept, `stale-while-revalidate` among them. What is fetched with header fields that may tell who asks, with
/// a cookie, or from a host for which the session has a credential, is not kept on disk.
///
/// **What goes wrong.** Failures of the moment are tried again, up to three times. A fetch that broke off goes on where
/// it was if the server gave a validator that allows it, even in a later process. Errors are `URLError` for the network
/// and ``ImageError`` for images, each with a sentence.
public final class ImagePipeline: Sendable {
  /// A pipeline with the default configuration, for the whole program.
  public static let shared = ImagePipeline()

  /// How it was made.
  public let configuration: Configuration
  let core: PipelineCore

  /// Makes a pipeline with caches of its own.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(
      configuration, makers: PooledThumbnailMakers(), clock: ContinuousClock(), now: { Date() })
  }

  init(
    _ configuration: Configuration, makers: any ThumbnailMakers, clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Date
  ) {
    self.configuration = configuration
    core = PipelineCore(configuration, makers: makers, clock: clock, now: now)
  }

  deinit { core.cancelAllPrefetches() }

  // MARK: Images

  /// The thumbnail that a request asks for.
  ///
  /// Cancelling the task gives the request up.
  ///
  /// - Throws: `URLError` for what went wrong with the network, a status that is no success among it; ``ImageError`` for
  ///   what is wrong with the image, or with ``ImageError/Code-swift.struct/cancelled`` when the task was cancelled.
  public func thumbnail(for request: ImageRequest) async throws -> UIImage {
    let load = LoadState(priority: request.priority)
    return try await withTaskCancellationHandler {
      core.start(load, request)
      return try await load.value()
    } onCancel: {
      core.cancel(load)
    }
  }

  /// A thumbnail of the image at a URL.
  ///
  /// - Parameters:
  ///   - url: where the image is.
  ///   - size: in pixels.
  ///   - mode: what happens to a picture of other proportions.
  ///   - priority: how soon it is wanted.
  /// - Throws: as ``thumbnail(for:)`` does.
  public func thumbnail(
    from url: URL, fitting size: CGSize, mode: ThumbnailTarget.Mode = .fit, priority: WorkPriority = .normal
  ) async throws -> UIImage {
    let target = ThumbnailTarget(
      width: Self.pixels(size.width), height: Self.pixels(size.height), mode: mode)
    return try await thumbnail(for: ImageRequest(url: url, target: target, priority: priority))
  }

  /// The image at a URL, at its own size.
  ///
  /// - Throws: as ``thumbnail(for:)`` does.
  public func image(from url: URL, priority: WorkPriority = .normal) async throws -> UIImage {
    try await thumbnail(for: ImageRequest(url: url, target: nil, priority: priority))
  }

  /// Asks for a thumbnail, and returns what its answer can be awaited with.
  public func load(_ request: ImageRequest) -> ImageLoad {
    let load = LoadState(priority: request.priority)
    core.start(load, request)
    return ImageLoad(request, load, core)
  }

  /// The thumbnail, and on the way to it what can be shown and told.
  ///
  /// Previews are made only while the decoder waits for bytes, at most three. The load begins when the iteration does;
  /// leaving the loop gives it up.
  ///
  /// - Parameters:
  ///   - request: what to get.
  ///   - placeholder: comes first, if given.
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

  // MARK: Fetching ahead

  /// Gets thumbnails ready that are likely to be asked for soon.
  ///
  /// They yield to everything else: they come last, have a third of the places, and become ordinary work when somebody
  /// asks for them. Failures are not told. Of more than 2,000 that wait, the oldest are given up.
  public func prefetch(_ requests: some Sequence<ImageRequest>) {
    for request in requests { core.prefetch(request) }
  }

  /// Gives prefetches up; who has asked for the same thumbnails otherwise still gets them.
  public func cancelPrefetch(_ requests: some Sequence<ImageRequest>) {
    for request in requests { core.cancelPrefetch(request) }
  }

  /// Gives all prefetches up.
  public func cancelAllPrefetches() { core.cancelAllPrefetches() }

  // MARK: Caches

  /// Forgets the thumbnails in memory.
  public func removeAllFromMemory() { core.memory.removeAll() }

  private static func pixels(_ length: Double) -> Int {
    length.isFinite ? Int(min(max(length.rounded(), 0), 1e9)) : 0
  }
}
