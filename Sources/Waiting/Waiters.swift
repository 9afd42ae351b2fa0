/// The tasks that wait for one thing, each of which may be cancelled, even before it waits.
///
/// This value belongs under the lock of its owner, which resumes the continuations after it has released the lock:
///
///     let token = state.withLock { $0.waiters.makeToken() }
///     return await withTaskCancellationHandler {
///       await withCheckedContinuation { continuation in
///         let isWaiting = state.withLock { $0.waiters.wait(continuation, as: token) }
///         if !isWaiting { continuation.resume(returning: nil) }
///       }
///     } onCancel: {
///       state.withLock { $0.waiters.cancel(token) }?.resume(returning: nil)
///     }
public struct Waiters<Value: Sendable, Failure: Error>: Sendable {
  /// What a waiting task is resumed with.
  public typealias Continuation = CheckedContinuation<Value, Failure>

  /// Identifies a task before it waits.
  public struct Token: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private var lastNumber: UInt64 = 0
  private var line = WaitingLine<Token>()
  private var continuations: [Token: Continuation] = [:]
  /// The tasks that were cancelled before they waited.
  private var cancelled: Set<Token> = []

  /// Creates a value without waiting tasks.
  public init() {}

  /// The number of waiting tasks.
  public var count: Int { continuations.count }

  /// Returns a token for a task that is about to wait. Each token is used for one wait only, and then given to
  /// `wait(_:as:)` or `forget(_:)`.
  public mutating func makeToken() -> Token {
    lastNumber += 1
    return Token(number: lastNumber)
  }

  /// Stores the continuation of a task. Returns false if the task was cancelled before: then the caller resumes it.
  public mutating func wait(_ continuation: Continuation, as token: Token) -> Bool {
    guard cancelled.remove(token) == nil else { return false }
    line.append(token)
    continuations[token] = continuation
    return true
  }

  /// Cancels a wait. Returns the continuation to resume; nil if the task does not wait yet or was already taken.
  public mutating func cancel(_ token: Token) -> Continuation? {
    guard let continuation = continuations.removeValue(forKey: token) else {
      cancelled.insert(token)
      return nil
    }
    line.remove(token)
    return continuation
  }

  /// Forgets a task that does not wait, for example after it has been resumed. Without this call, the mark of a
  /// cancellation that came late would stay.
  public mutating func forget(_ token: Token) { cancelled.remove(token) }

  /// Removes and returns the continuation of the task that has waited longest; nil if none waits.
  public mutating func popFirst() -> Continuation? {
    line.popFirst().flatMap { continuations.removeValue(forKey: $0) }
  }

  /// Removes and returns all continuations, the oldest first.
  public mutating func takeAll() -> [Continuation] {
    var all: [Continuation] = []
    while let continuation = popFirst() { all.append(continuation) }
    return all
  }
}
