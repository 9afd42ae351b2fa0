/// What the bytes of a request are known by: requests with equal resources get the same bytes.
struct ImageResource: Sendable, Hashable {
  /// The URL without its fragment, then the header fields the request sets.
  let identity: String
}

/// What waiters share a job by.
struct JobKey: Sendable, Hashable {
  enum Purpose: Sendable, Hashable {
    case thumbnails
    /// New bytes for the disk cache, while those that are stale have been answered with.
    case refresh
  }

  var resource: ImageResource
  var cachePolicy: ImageRequest.CachePolicy
  var purpose = Purpose.thumbnails
}
