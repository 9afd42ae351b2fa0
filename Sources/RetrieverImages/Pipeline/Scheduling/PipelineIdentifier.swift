/// The unique number of an object of the pipeline. Numbers are never reused.
struct PipelineIdentifier<Of>: Hashable, Sendable, CustomStringConvertible {
  let number: Int

  var description: String { "\(Of.self) \(number)" }
}

/// A request for a thumbnail that has no result yet.
enum PipelineWaiter {}
/// The work for one resource: getting its bytes, and making thumbnails from it.
enum PipelineJob {}
/// One run of a decoder, or of the resampler, that makes some of a job's thumbnails.
enum PipelinePass {}

typealias WaiterID = PipelineIdentifier<PipelineWaiter>
typealias JobID = PipelineIdentifier<PipelineJob>
typealias PassID = PipelineIdentifier<PipelinePass>

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
