/// A thread for blocking work of a test program, such as waiting for child processes.
public struct JobThread: Sendable {
  private let thread: WorkerThread?

  /// Starts `body` on a thread of its own; when the system has no thread left, runs it here and now.
  public init(_ body: @escaping @Sendable () -> Void) {
    thread = try? WorkerThread(body)
    if thread == nil { body() }
  }

  /// Waits, blocking, for its end; to be called once.
  public func join() { thread?.join() }
}

/// Runs blocking calls on a thread of their own, off the pool that runs Swift's tasks.
public func offThePool<Value: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  var thread: JobThread?
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    thread = JobThread { continuation.resume(returning: Result(catching: body)) }
  }
  // It has nothing left to do.
  thread?.join()
  return try result.get()
}
