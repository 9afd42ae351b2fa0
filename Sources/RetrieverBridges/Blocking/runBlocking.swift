import Dispatch
import Foundation
import Synchronization

/// Runs async code from synchronous code, blocking the calling thread until it is done: for the main function
/// of a command-line tool, and for a callback from C that must have its answer before it returns.
///
/// ```swift
/// func sizeForC(of name: String) -> Int32 {
///   do {
///     return try runBlocking { try await measure(name) }
///   } catch {
///     return -1
///   }
/// }
/// ```
///
/// The rules:
/// - Never from a task. A thread that runs a task belongs to the small pool that all tasks share, and
///   blocking it can stop the very work that is waited for. A call from a task, however deep in synchronous
///   functions, throws ``BridgeError/Code/wouldBlockTask``, without having started anything.
/// - Code that runs on a thread of the pool outside any task cannot be told apart: a `deinit` or the body of
///   an executor's job of one's own. It is up to the caller not to call from there.
/// - On the main thread the main run loop goes on meanwhile, so that the operation may use the main actor;
///   what else is queued on the main thread runs, too. Within work that runs on the main queue this is not so,
///   since that queue does one thing at a time: the operation must not need the main actor there.
/// - Not while holding a lock that the operation needs.
/// - The operation cannot be cancelled from outside. Give it a limit of its own where it may take too long.
///
/// - Parameters:
///   - priority: The priority of the task that runs the operation.
///   - fileID: The file that errors name: the caller's.
///   - line: The line that errors name: the caller's.
///   - operation: What is to be done.
/// - Returns: What the operation returned.
/// - Throws: What the operation threw; ``BridgeError``.
@available(*, noasync, message: "Use await: this would block a thread that all tasks share.")
public func runBlocking<Value: Sendable>(
  priority: TaskPriority? = nil, fileID: String = #fileID, line: Int = #line,
  _ operation: @escaping @Sendable () async throws -> Value
) throws -> Value {
  guard !isRunningTask else {
    throw BridgeError(.wouldBlockTask, at: CallSite(fileID: fileID, line: line))
  }
  let outcome = BlockingOutcome<Value>()
  let isMain = Thread.isMainThread
  _ = Task.detached(priority: priority) {
    do {
      outcome.set(.success(try await operation()), wakesMainRunLoop: isMain)
    } catch {
      outcome.set(.failure(error), wakesMainRunLoop: isMain)
    }
  }
  return try (isMain ? outcome.waitRunningMainLoop() : outcome.wait()).get()
}

/// Whether the calling thread is in the middle of a task.
private var isRunningTask: Bool { withUnsafeCurrentTask { $0 != nil } }

/// The result that a blocked thread waits for.
private final class BlockingOutcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func set(_ value: Result<Value, any Error>, wakesMainRunLoop: Bool) {
    result.withLock { $0 = value }
    semaphore.signal()
    // A run loop returns when it has served the main queue, however little there was to do.
    if wakesMainRunLoop { DispatchQueue.main.async {} }
  }

  func wait() -> Result<Value, any Error> {
    while true {
      if let value = result.withLock({ $0 }) { return value }
      semaphore.wait()
    }
  }

  func waitRunningMainLoop() -> Result<Value, any Error> {
    while true {
      if let value = result.withLock({ $0 }) { return value }
      // It has nothing to run when this is called from the main queue, which then waits; hence the pause.
      if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) {
        _ = semaphore.wait(timeout: .now() + .milliseconds(50))
      }
    }
  }
}
