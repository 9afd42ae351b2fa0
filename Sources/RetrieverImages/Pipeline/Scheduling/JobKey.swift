/// The identity of the bytes of a request: equal resources have the same bytes.
struct ImageResource: Sendable, Hashable {
  /// The URL without its fragment, followed by the header fields of the request.
  let identity: String
}

/// The key by which waiters share a job.
struct JobKey: Sendable, Hashable {
  enum Purpose: Sendable, Hashable {
    case thumbnails
    /// Refresh the bytes in the disk cache, after a stale image was returned.
    case refresh
  }

  var resource: ImageResource
  var cachePolicy: ImageRequest.CachePolicy
  var purpose = Purpose.thumbnails
}
