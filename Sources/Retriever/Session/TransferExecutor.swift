#if !canImport(Darwin)
import TransferEngine

/// Runs Swift tasks on the threads that receive responses, so that a task continues without a switch between threads.
///
/// Usually, a response arrives on a thread of Retriever, and the task that awaits it continues on another thread. With
/// this executor, the same thread does both, which saves processor time and wake-ups. It is not part of Apple's interface.
///
/// ```swift
/// func sizes(of pages: [URL]) async throws -> [Int] {
///   try await withTaskExecutorPreference(TransferExecutor.shared) {
///     try await withThrowingTaskGroup(of: Int.self) { group in
///       for page in pages {
///         group.addTask { try await URLSession.shared.data(from: page).0.count }
///       }
///       return try await group.reduce(into: []) { $0.append($1) }
///     }
///   }
/// }
/// ```
///
/// The preference applies to child tasks and to actors without an executor of their own. Use it for tasks that mostly
/// wait for responses.
///
/// There is a price. The loads of a session arrive on one thread, so the tasks that await them take turns there. A task that
/// computes for long delays the others until another thread takes over, after two to four milliseconds. From then on, such
/// tasks run on as many threads as the machine has processors. Loads are never delayed for longer than that. Jobs run in the
/// order in which they are enqueued; the priorities of tasks are not considered.
public final class TransferExecutor: TaskExecutor {
  /// The only executor of this kind.
  public static let shared = TransferExecutor()

  private init() {}

  /// Runs a part of a task. The Swift runtime calls this method.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    guard !LoopJobs.enqueue(job, on: asUnownedTaskExecutor()) else { return }
    globalConcurrentExecutor.enqueue(job)
  }
}
#endif
