/// The number of something the pipeline keeps account of; never used twice.
struct PipelineIdentifier<Of>: Hashable, Sendable, CustomStringConvertible {
  let number: Int

  var description: String { "\(Of.self) \(number)" }
}

/// One who asked for a thumbnail and has not been answered.
enum PipelineWaiter {}
/// The work for one resource: getting its bytes, and making thumbnails of it.
enum PipelineJob {}
/// One run of a decoder, or of the resampler, that makes some of a job's thumbnails.
enum PipelinePass {}

typealias WaiterID = PipelineIdentifier<PipelineWaiter>
typealias JobID = PipelineIdentifier<PipelineJob>
typealias PassID = PipelineIdentifier<PipelinePass>
