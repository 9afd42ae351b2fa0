/// Suspends the task until a callback is called. Cancelling the task cancels the callback's work.
///
/// The function calls `start` with a ``CancellableContinuation``, which the callback must resume. `start` starts the
/// work and returns a function that cancels it, or nil if the work cannot be cancelled.
///
/// ```swift
/// func thumbnail(for photo: Photo, from loader: PhotoLoader) async throws -> Thumbnail {
///   try await withCancellableContinuation { continuation in
///     let load = loader.load(photo, completion: continuation.completionHandler)
///     return { load.cancel() }
///   }
/// }
/// ```
///
/// The task is resumed exactly once, in any order of events:
/// - A second call of the callback is reported to the reporter and has no effect.
/// - If all references to the callback are released without a call, the task throws ``BridgeError/Code/neverCalled``
///   with the line of this call, instead of waiting forever.
/// - Cancelling the task calls the cancel function at most once. If the work has started, the thread that cancels
///   calls it immediately. If `start` is still running, this thread calls it when `start` returns. If the task was
///   cancelled before, `start` is not called.
///
/// The cancel function is kept until the callback is called. If only the cancel function keeps the object alive that
/// holds the callback, capture that object weakly. Otherwise a released callback cannot be detected.
///
/// - Parameters:
///   - type: The type of the callback's value, if it cannot be inferred.
///   - cancellation: Whether a cancelled call throws immediately or waits for the callback.
///   - reporter: The reporter for a second call of the callback.
///   - isolation: The actor on which `start` runs (default: the caller's actor).
///   - fileID: The file that errors report (default: the caller's file).
///   - line: The line that errors report (default: the caller's line).
///   - start: Starts the work, on the caller's thread, before the task is suspended.
/// - Returns: The callback's value.
/// - Throws: The error of the callback or of `start`; `CancellationError` if the task was cancelled; ``BridgeError``.
public func withCancellableContinuation<Value>(
  of type: Value.Type = Value.self, onCancel cancellation: CallbackCancellation = .throwsAtOnce,
  reporter: MisuseReporter = .standard, isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, line: Int = #line,
  _ start: (CancellableContinuation<Value>) throws -> (@Sendable () -> Void)?
) async throws -> Value {
  let core = CallbackCore<Value>(
    cancellation: cancellation, reporter: reporter, site: CallSite(fileID: fileID, line: line))
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
      guard core.register(waiter) else { return }
      // Keeps the callback alive until the work has started.
      withExtendedLifetime(CancellableContinuation(core: core)) { continuation in
        do {
          core.started(try start(continuation))
        } catch {
          continuation.resume(throwing: error)
          core.started(nil)
        }
      }
    }
  } onCancel: {
    core.cancel()
  }
}

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

/// The behaviour of a waiting call when its task is cancelled. In both cases, the work's cancel function is called.
public enum CallbackCancellation: Sendable {
  /// The call throws `CancellationError` immediately. A later call of the callback is ignored.
  case throwsAtOnce
  /// The call continues to wait for the callback, and returns or throws its result.
  ///
  /// Use it for work that must have ended before the caller continues. If the work neither calls nor releases the
  /// callback, the task waits forever.
  case waitsForCallback
}
