import Glibc

/// A dedicated thread. The servers block in system calls, which must never happen on the cooperative pool.
final class WorkerThread: Sendable {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  /// Starts `body` on a new thread. Call `join` exactly once.
  init(_ body: @escaping @Sendable () -> Void) throws {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw TestSupportError("Could not start a thread: \(String(cString: strerror(code)))")
    }
    self.thread = thread
  }

  func join() {
    pthread_join(thread, nil)
  }
}

/// A thread for blocking work of a test program, such as waiting for child processes.
public struct JobThread: Sendable {
  private let thread: WorkerThread?

  /// Runs `body` on a new thread, or on the calling thread if the system has no thread left.
  public init(_ body: @escaping @Sendable () -> Void) {
    thread = try? WorkerThread(body)
    if thread == nil { body() }
  }

  /// Blocks until the thread ends. Call it only once.
  public func join() { thread?.join() }
}

/// Runs blocking calls on a separate thread, outside the cooperative pool that runs Swift's tasks.
public func runOnThread<Value: Sendable, Failure: Error>(
  _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  var thread: JobThread?
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    thread = JobThread { continuation.resume(returning: Result(catching: body)) }
  }
  // The thread has nothing left to do, so this does not block for long.
  thread?.join()
  return try result.get()
}
