/// A handle that cancels work started from code without async.
///
/// Releasing the handle does not cancel the work. The handle is thread-safe.
public struct CancelHandle: Sendable {
  private let task: Task<Void, Never>

  init(task: Task<Void, Never>) {
    self.task = task
  }

  /// Asks the work to stop. The completion handler is still called when the work has ended.
  public func cancel() { task.cancel() }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }
}
