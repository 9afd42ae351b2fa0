// Methods and closures for the common shapes of callbacks. Each closure keeps the continuation. If all closures are
// released without a call, the waiting call throws.

extension CancellableContinuation {
  /// Resumes the waiting call with a value or an error, for callbacks of the shape `(T?, Error?)`.
  ///
  /// If both are given, the call throws the error. If neither is given, it throws
  /// ``BridgeError/Code/neitherValueNorError``.
  public func resume(_ value: sending Value?, _ error: (any Error)?) {
    if let error {
      core.call(with: .failure(error))
    } else if let value {
      core.call(with: .success(value))
    } else {
      core.call(with: .failure(BridgeError(.neitherValueNorError, at: site)))
    }
  }

  /// Resumes the waiting call with two values or an error, for callbacks of the shape `(A?, B?, Error?)`.
  ///
  /// If there is an error, the call throws it. If there is no error and a value is missing, it throws
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

  /// A callback of the shape `(Error) -> Void`. Use it together with ``valueHandler`` or ``doneHandler``.
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

  /// A callback of the shape `(T) -> Void`. Use it alone or together with ``failureHandler``.
  public var valueHandler: @Sendable (Value) -> Void {
    { self.resume(returning: $0) }
  }
}

extension CancellableContinuation where Value == Void {
  /// Resumes the waiting call.
  public func resume() {
    resume(returning: ())
  }

  /// Resumes the waiting call, or throws the error if there is one, for callbacks of the shape `(Error?)`.
  public func resume(_ error: (any Error)?) {
    if let error { resume(throwing: error) } else { resume() }
  }

  /// A callback of the shape `() -> Void`.
  public var doneHandler: @Sendable () -> Void {
    { self.resume() }
  }

  /// A callback of the shape `(Error?) -> Void`. Without an error, the call succeeds.
  public var errorHandler: @Sendable ((any Error)?) -> Void {
    { self.resume($0) }
  }
}
