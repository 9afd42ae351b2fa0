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
