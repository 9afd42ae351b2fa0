/// Suspends the task until a callback is called, and cancels the callback's work when the task is cancelled.
///
/// `start` is called with the ``CancellableContinuation`` that the callback is to resume. It starts the work
/// and returns the function that cancels it, or nil when it cannot be cancelled.
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
/// The task is resumed exactly once, whatever races:
/// - A second call of the callback is told to the reporter and has no effect.
/// - A callback that everybody lets go of without calling it has the task throw
///   ``BridgeError/Code/neverCalled``, with the line of this call, instead of waiting for ever.
/// - Cancelling the task calls the cancel function at most once: at once when the work has been started, as
///   soon as `start` returns when it is being started; on the thread that cancels, or on this one. When the
///   task was cancelled before, `start` is not called at all.
///
/// The cancel function is kept until the callback is called. Where nothing else keeps the work alive that
/// holds the callback, have it capture that work weakly, or dropping the callback cannot be noticed.
///
/// - Parameters:
///   - type: What the callback brings, where it cannot be inferred.
///   - cancellation: Whether cancelling throws at once or waits for the callback.
///   - reporter: Is told of a second call.
///   - isolation: The actor that `start` runs on: the caller's.
///   - fileID: The file that errors name: the caller's.
///   - line: The line that errors name: the caller's.
///   - start: Starts the work, on the caller's thread, before the task is suspended.
/// - Returns: What the callback brought.
/// - Throws: The error that the callback brought, or that `start` threw; `CancellationError` when the task
///   was cancelled; ``BridgeError``.
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
      // Nobody has dropped the callback before the work has been started.
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
