import CLinux
import Glibc

/// A detached thread with a name. It blocks all signals: they belong to the program.
enum NamedThread {
  private final class Work {
    let name: String
    let body: @Sendable () -> Void
    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread. Returns false if the system cannot create another one. SIGPIPE, which a TLS write may raise,
  /// stays pending.
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
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
      return false
    }
    pthread_detach(thread)
    return true
  }
}
