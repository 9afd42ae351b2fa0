/// The tasks that wait for one thing, each of which may be cancelled, even before it waits. A pure value.
///
/// `Waiter` is what is stored for a waiting task: a continuation, or a number in tests. This value belongs under the
/// lock of its owner, which resumes the continuations after it has released the lock. ``WaitingTasks`` is the
/// most common form; `Mutex.wait(in:ifCancelled:isolation:unless:)` makes a task wait.
public struct Waiters<Waiter> {
  /// Identifies a task before it waits. Each token is used for one wait.
  public struct Token: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private var lastNumber: UInt64 = 0
  private var line = WaitingLine<Token>()
  private var waiting: [Token: Waiter] = [:]
  /// The tasks that do not wait yet and were not cancelled.
  private var announced: Set<Token> = []

  /// Creates a value without waiting tasks.
  public init() {}

  /// The number of waiting tasks.
  public var count: Int { waiting.count }

  /// The number of tasks that wait or are about to wait. It is 0 when all waits have ended.
  public var entryCount: Int { waiting.count + announced.count }

  /// Returns a token for a task that is about to wait. Pass it to ``wait(_:as:)`` or ``forget(_:)``.
  public mutating func makeToken() -> Token {
    lastNumber += 1
    let token = Token(number: lastNumber)
    announced.insert(token)
    return token
  }

  /// Stores a waiting task. Returns false if the task was cancelled before: then the caller resumes it.
  public mutating func wait(_ waiter: Waiter, as token: Token) -> Bool {
    guard forget(token) else { return false }
    line.append(token)
    waiting[token] = waiter
    return true
  }

  /// Forgets a task that does not need to wait. Returns false if the task was cancelled before.
  @discardableResult
  public mutating func forget(_ token: Token) -> Bool { announced.remove(token) != nil }

  /// Cancels a wait. Returns the waiter to resume; nil if the task does not wait yet, or no longer.
  public mutating func cancel(_ token: Token) -> Waiter? {
    guard let waiter = waiting.removeValue(forKey: token) else {
      announced.remove(token)
      return nil
    }
    line.remove(token)
    return waiter
  }

  /// Removes and returns the task that has waited longest; nil if none waits.
  public mutating func popFirst() -> Waiter? {
    line.popFirst().flatMap { waiting.removeValue(forKey: $0) }
  }

  /// Removes and returns all waiting tasks, the oldest first.
  public mutating func takeAll() -> [Waiter] {
    var all: [Waiter] = []
    while let waiter = popFirst() { all.append(waiter) }
    return all
  }
}

extension Waiters: Sendable where Waiter: Sendable {}
