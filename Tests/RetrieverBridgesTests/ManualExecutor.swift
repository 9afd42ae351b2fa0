import Synchronization
import TestSupport

/// Runs tasks when a test requests it, on the test's own thread. Between two calls of `run()`, no task runs.
///
/// The calling thread must not be running a task; use `onThread`.
final class ManualExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs until every task has ended or is suspended.
  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Starts a task that runs only within `run()`. The box receives its result.
  func start(_ body: @escaping @Sendable () async throws -> Int) -> (Task<Void, Never>, Box<Ending>) {
    let box = Box<Ending>()
    let task = Task(executorPreference: self) {
      do {
        box.put(.value(try await body()))
      } catch {
        box.put(Ending(.failure(error)))
      }
    }
    return (task, box)
  }
}
