import Dispatch
import Synchronization

/// Waits for asynchronous work on a thread that may be blocked.
package enum BlockingCall {
  private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, KennelError>?>(nil)
  }

  /// Runs asynchronous work and blocks the calling thread until it ends.
  ///
  /// It must be called on a thread of a ``BlockingWorkQueue`` or on the main thread, never on one of Swift's concurrency pool: the
  /// work could not run then.
  package static func wait<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(KennelError) -> Value
  ) throws(KennelError) -> Value {
    let outcome = Outcome<Value>()
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached {
      let result: Result<Value, KennelError>
      do throws(KennelError) { result = .success(try await work()) } catch { result = .failure(error) }
      outcome.result.withLock { $0 = result }
      semaphore.signal()
    }
    semaphore.wait()
    guard let result = outcome.result.withLock({ $0 }) else { throw .cancelled }
    return try result.get()
  }
}
