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
