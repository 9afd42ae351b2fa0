import Dispatch
import Foundation
import Synchronization

/// Runs async code from synchronous code and blocks the calling thread until the code has finished.
///
/// Use it in the main function of a command-line tool, or in a callback from C that must return a result.
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
/// Follow these rules:
/// - Do not call this function from a task. Tasks run on a small pool of shared threads. Blocking one of them can
///   stop the work that the call waits for. A call from a task throws ``BridgeError/Code/wouldBlockTask`` and starts
///   nothing, no matter how many synchronous functions are in between.
/// - Do not call it from code that runs on a pool thread outside a task, such as a `deinit` or a job of a custom
///   executor. The function cannot detect such a call.
/// - On the main thread, the main run loop continues to run, so the operation may use the main actor. Other work that
///   is queued on the main thread runs too. Within work on the main dispatch queue, however, the operation must not
///   use the main actor, because that queue performs one item at a time.
/// - Do not call it while holding a lock that the operation needs.
/// - The operation cannot be cancelled from outside. If it can take too long, give it its own time limit.
///
/// - Parameters:
///   - priority: The priority of the task that runs the operation.
///   - fileID: The file that errors report (default: the caller's file).
///   - line: The line that errors report (default: the caller's line).
///   - operation: The async code to run.
/// - Returns: The value that the operation returns.
/// - Throws: The error that the operation throws, or ``BridgeError``.
@available(*, noasync, message: "Use await instead: runBlocking would block a thread that all tasks share.")
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

/// Whether the calling thread is running a task.
private var isRunningTask: Bool { withUnsafeCurrentTask { $0 != nil } }

/// The result that a blocked thread waits for.
private final class BlockingOutcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func set(_ value: Result<Value, any Error>, wakesMainRunLoop: Bool) {
    result.withLock { $0 = value }
    semaphore.signal()
    // Wakes the run loop, which returns after it has performed any work of the main queue.
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
      // Called from the main queue, the run loop has nothing to perform and returns immediately; hence the pause.
      if !RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05)) {
        _ = semaphore.wait(timeout: .now() + .milliseconds(50))
      }
    }
  }
}
