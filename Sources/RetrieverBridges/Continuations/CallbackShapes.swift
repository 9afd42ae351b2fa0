// The shapes that callbacks come in, as calls and as closures that are handed over as they are. Each closure
// keeps the continuation: when all of them are dropped uncalled, the waiting call throws.

extension CancellableContinuation {
  /// Resumes the waiting call with the value, or has it throw the error: for callbacks that take
  /// `(T?, Error?)`.
  ///
  /// With both, the error counts; with neither, the call throws ``BridgeError/Code/neitherValueNorError``.
  public func resume(_ value: sending Value?, _ error: (any Error)?) {
    if let error {
      core.call(with: .failure(error))
    } else if let value {
      core.call(with: .success(value))
    } else {
      core.call(with: .failure(BridgeError(.neitherValueNorError, at: site)))
    }
  }

  /// Resumes the waiting call with both values, or has it throw the error: for callbacks of the shape
  /// `(A?, B?, Error?)`.
  ///
  /// With an error, that counts; when it and one of the values are missing, the call throws
  /// ``BridgeError/Code/neitherValueNorError``.
  public func resume<First, Second>(_ first: sending First?, _ second: sending Second?, _ error: (any Error)?)
  where Value == (First, Second) {
    if let error {
      core.call(with: .failure(error))
    } else if let first, let second {
      core.call(with: .success((first, second)))
    } else {
      core.call(with: .failure(BridgeError(.neitherValueNorError, at: site)))
    }
  }

  /// A callback of the shape `(Error) -> Void`: the failure closure beside ``valueHandler`` or
  /// ``doneHandler``.
  public var failureHandler: @Sendable (any Error) -> Void {
    { self.resume(throwing: $0) }
  }
}

extension CancellableContinuation where Value: Sendable {
  /// A callback of the shape `(T?, Error?) -> Void`; see ``resume(_:_:)``.
  public var completionHandler: @Sendable (Value?, (any Error)?) -> Void {
    { self.resume($0, $1) }
  }

  /// A callback of the shape `(Result<T, Error>) -> Void`.
  public var resultHandler: @Sendable (Result<Value, any Error>) -> Void {
    { self.resume(with: $0) }
  }

  /// A callback of the shape `(T) -> Void`; beside ``failureHandler``, the success closure of the two.
  public var valueHandler: @Sendable (Value) -> Void {
    { self.resume(returning: $0) }
  }
}

extension CancellableContinuation where Value == Void {
  /// Resumes the waiting call.
  public func resume() {
    resume(returning: ())
  }

  /// Resumes the waiting call, or has it throw when there is an error: for callbacks of the shape `(Error?)`.
  public func resume(_ error: (any Error)?) {
    if let error { resume(throwing: error) } else { resume() }
  }

  /// A callback of the shape `() -> Void`.
  public var doneHandler: @Sendable () -> Void {
    { self.resume() }
  }

  /// A callback of the shape `(Error?) -> Void`, where no error means success.
  public var errorHandler: @Sendable ((any Error)?) -> Void {
    { self.resume($0) }
  }
}
