import Retriever

extension ImagePipeline {
  /// The traffic that the pipeline's session has recorded, if recording is on.
  package var traffic: TrafficArchive { core.session.archive }
}
