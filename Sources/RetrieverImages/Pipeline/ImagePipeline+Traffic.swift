import Retriever

extension ImagePipeline {
  /// What the pipeline's session has loaded, once recording is switched on.
  package var traffic: TrafficArchive { core.session.archive }
}
