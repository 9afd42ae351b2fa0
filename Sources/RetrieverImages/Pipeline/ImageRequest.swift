import Foundation
import Retriever

/// Which image to get, and what to make of it.
public struct ImageRequest: Sendable, Hashable {
  /// Whether what was kept may answer.
  public enum CachePolicy: Sendable, Hashable {
    /// Whatever HTTP's rules for caches allow.
    case use
    /// Never: the image is fetched, and then kept.
    case reload
    /// Nothing else: what was kept answers, however old it is, and without it the request fails.
    case onlyCached
  }

  /// What to fetch, with the `GET` method.
  public var urlRequest: URLRequest
  /// The thumbnail to make; nil for the picture at its own size.
  public var target: ThumbnailTarget?
  /// How soon it is wanted; what is prefetched always comes later. Requests that differ in this only share their work.
  public var priority: WorkPriority
  /// Whether what was kept may answer.
  public var cachePolicy: CachePolicy

  /// A thumbnail of the image that a request gets.
  public init(
    _ urlRequest: URLRequest, target: ThumbnailTarget?, priority: WorkPriority = .normal,
    cachePolicy: CachePolicy = .use
  ) {
    self.urlRequest = urlRequest
    self.target = target
    self.priority = priority
    self.cachePolicy = cachePolicy
  }

  /// A thumbnail of the image at a URL.
  public init(
    url: URL, target: ThumbnailTarget?, priority: WorkPriority = .normal, cachePolicy: CachePolicy = .use
  ) {
    self.init(URLRequest(url: url), target: target, priority: priority, cachePolicy: cachePolicy)
  }
}
