#if canImport(Glibc)
import CLinux
import Glibc

/// A detached thread with a name, such as the thread of an event loop. It blocks all signals: they belong to the program.
public enum LoopThread {
  private final class Work {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread.
  ///
  /// SIGPIPE, which `sendfile` or a write of a TLS library may raise, stays pending on the thread.
  ///
  /// - Parameters:
  ///   - name: The name of the thread in debuggers and in `/proc`. Linux shows its first 15 bytes.
  ///   - body: What the thread does. The thread ends when it returns, and then releases it.
  /// - Returns: 0, or an error number, such as `EAGAIN`, if the system cannot create another thread. The body is then
  ///   released and never called.
  public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
    let context = Unmanaged.passRetained(Work(name, body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        retriever_name_thread(work.name)
        work.body()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      return code
    }
    pthread_detach(thread)
    return 0
  }
}
#endif
