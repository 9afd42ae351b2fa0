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
