/// The callback's side of ``withCancellableContinuation(of:onCancel:reporter:isolation:fileID:line:_:)``. A call of
/// one of its methods resumes the waiting task.
///
/// The class is thread-safe. The first call counts. Later calls are reported to the ``MisuseReporter`` and have no
/// effect. If all references to it are released before any call, the waiting call throws
/// ``BridgeError/Code/neverCalled``.
public final class CancellableContinuation<Value>: Sendable {
  let core: CallbackCore<Value>

  init(core: CallbackCore<Value>) {
    self.core = core
  }

  deinit {
    core.dropped()
  }

  /// The source line of the waiting call.
  public var site: CallSite { core.site }

  /// Resumes the waiting call with a value.
  public func resume(returning value: sending Value) {
    core.call(with: .success(value))
  }

  /// Makes the waiting call throw an error.
  public func resume(throwing error: any Error) {
    core.call(with: .failure(error))
  }

  /// Resumes the waiting call with a value, or makes it throw an error.
  public func resume<Failure: Error>(with result: sending Result<Value, Failure>) {
    switch result {
    case .success(let value): core.call(with: .success(value))
    case .failure(let error): core.call(with: .failure(error))
    }
  }
}
