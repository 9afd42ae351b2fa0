/// A request under way: its answer can be awaited, its priority changed, and it can be given up.
///
/// Dropping the load gives it up too. A load that shares its work with others disturbs none of them.
public final class ImageLoad: Sendable {
  /// What was asked for.
  public let request: ImageRequest
  let state: LoadState
  private let core: PipelineCore

  init(_ request: ImageRequest, _ state: LoadState, _ core: PipelineCore) {
    self.request = request
    self.state = state
    self.core = core
  }

  deinit { core.cancel(state) }

  /// The image. May be awaited any number of times.
  ///
  /// Cancelling the task that awaits ends its waiting, not the load.
  ///
  /// - Throws: `URLError` for what went wrong with the network, ``ImageError`` for what is wrong with the image, or with
  ///   ``ImageError/Code-swift.struct/cancelled`` after ``cancel()``.
  public var value: UIImage {
    get async throws { try await state.value() }
  }

  /// How soon it is wanted; may be changed while it waits.
  public var priority: WorkPriority {
    get { state.priority }
    set { core.setPriority(newValue, of: state) }
  }

  /// Gives it up: who awaits the value gets ``ImageError/Code-swift.struct/cancelled``. Without effect when it is there.
  public func cancel() { core.cancel(state) }
}
