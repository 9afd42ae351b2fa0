/// What a caller without async gets for the work it started: the means to cancel it.
///
/// Letting go of the handle does not cancel; any thread may call it.
public struct CancelHandle: Sendable {
  private let task: Task<Void, Never>

  init(task: Task<Void, Never>) {
    self.task = task
  }

  /// Asks the work to stop. Its completion handler is called all the same, when it has.
  public func cancel() { task.cancel() }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }
}
