/// A request in progress. You can await its image, change its priority and cancel it.
///
/// Releasing the load cancels it too. Other loads that share its work are not affected.
public final class ImageLoad: Sendable {
  /// The request.
  public let request: ImageRequest
  let state: LoadState
  private let core: PipelineCore

  init(_ request: ImageRequest, _ state: LoadState, _ core: PipelineCore) {
    self.request = request
    self.state = state
    self.core = core
  }

  deinit { core.cancel(state) }

  /// The image. It can be awaited any number of times.
  ///
  /// Cancelling the task that awaits the image ends the waiting, not the load.
  ///
  /// - Throws: `URLError` for network failures; ``ImageError`` for an invalid image, or with the code
  ///   ``ImageError/Code-swift.struct/cancelled`` after ``cancel()``.
  public var value: UIImage {
    get async throws { try await state.value() }
  }

  /// The priority, which can be changed during the load.
  public var priority: WorkPriority {
    get { state.priority }
    set { core.setPriority(newValue, of: state) }
  }

  /// Cancels the load: ``value`` then throws ``ImageError/Code-swift.struct/cancelled``. Has no effect after the load
  /// ended.
  public func cancel() { core.cancel(state) }
}

extension ImageLoad: CustomReflectable {
  /// A mirror without children, so that `dump` reads no property without its lock: what a load holds changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
