/// What becomes of the waiting call when its task is cancelled. The work's cancel function is called either
/// way.
public enum CallbackCancellation: Sendable {
  /// The call throws `CancellationError` at once; what the callback still brings is ignored.
  case throwsAtOnce
  /// The call goes on waiting for the callback, and gives or throws what that brings: for work that must not
  /// be left before it has come to rest. Work that then never calls back keeps the task waiting, unless it
  /// drops the callback.
  case waitsForCallback
}
