import Foundation
import Retriever

/// A request for an image or a thumbnail of it.
public struct ImageRequest: Sendable, Hashable {
  /// The ways to use the caches.
  public enum CachePolicy: Sendable, Hashable {
    /// Use the caches as HTTP's rules allow.
    case use
    /// Always fetch the image, then store it.
    case reload
    /// Use only the caches, even if the image is stale. Without a cached image, the request fails.
    case onlyCached
  }

  /// The request for the image, with the `GET` method.
  public var urlRequest: URLRequest
  /// The size of the thumbnail; nil for the image at its own size.
  public var target: ThumbnailTarget?
  /// The priority; prefetches always come later. Requests that differ only in this share their work.
  public var priority: WorkPriority
  /// The way to use the caches.
  public var cachePolicy: CachePolicy

  /// Creates a request for a thumbnail of the image that a URL request returns.
  public init(
    _ urlRequest: URLRequest, target: ThumbnailTarget?, priority: WorkPriority = .normal,
    cachePolicy: CachePolicy = .use
  ) {
    self.urlRequest = urlRequest
    self.target = target
    self.priority = priority
    self.cachePolicy = cachePolicy
  }

  /// Creates a request for a thumbnail of the image at a URL.
  public init(
    url: URL, target: ThumbnailTarget?, priority: WorkPriority = .normal, cachePolicy: CachePolicy = .use
  ) {
    self.init(URLRequest(url: url), target: target, priority: priority, cachePolicy: cachePolicy)
  }
}
