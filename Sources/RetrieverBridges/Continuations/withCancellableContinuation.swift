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
