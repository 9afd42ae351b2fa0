/// The callback's end of ``withCancellableContinuation(of:onCancel:reporter:isolation:fileID:line:_:)``:
/// called once, it resumes the waiting task.
///
/// Any thread may call it. The first call counts; a later one is reported to the ``MisuseReporter`` and has
/// no effect. When nobody holds it any more and it was never called, the waiting call throws
/// ``BridgeError/Code/neverCalled``.
public final class CancellableContinuation<Value>: Sendable {
  let core: CallbackCore<Value>

  init(core: CallbackCore<Value>) {
    self.core = core
  }

  deinit {
    core.dropped()
  }

  /// Where the waiting call stands in the source.
  public var site: CallSite { core.site }

  /// Resumes the waiting call with a value.
  public func resume(returning value: sending Value) {
    core.call(with: .success(value))
  }

  /// Has the waiting call throw an error.
  public func resume(throwing error: any Error) {
    core.call(with: .failure(error))
  }

  /// Resumes the waiting call with a value, or has it throw.
  public func resume<Failure: Error>(with result: sending Result<Value, Failure>) {
    switch result {
    case .success(let value): core.call(with: .success(value))
    case .failure(let error): core.call(with: .failure(error))
    }
  }
}
