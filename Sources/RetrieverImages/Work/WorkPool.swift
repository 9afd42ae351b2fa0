import Dispatch
import Synchronization

/// Where images are decoded, scaled and written: a few threads beside those that run Swift's tasks, which must never be
/// held up for longer than a moment.
final class WorkPool: Sendable {
  /// One thread for each processor.
  static let shared = WorkPool(slots: min(max(ProcessorCount.active, 1), 16))

  private struct State: ~Copyable {
    var queue: WorkQueue
    var jobs: [WorkQueue.ID: @Sendable () -> Void] = [:]

    mutating func take(_ id: WorkQueue.ID?) -> (id: WorkQueue.ID, job: @Sendable () -> Void)? {
      guard let id, let job = jobs.removeValue(forKey: id) else { return nil }
      return (id, job)
    }
  }

  private let state: Mutex<State>
  private let threads = DispatchQueue(label: "retriever.images", attributes: .concurrent)

  init(slots: Int) { state = Mutex(State(queue: WorkQueue(slots: slots))) }

  /// Runs a piece of work on a thread of the pool.
  ///
  /// Cancelling the surrounding task sets the mark, and takes work that has not started out of the queue.
  ///
  /// - Throws: what the work throws, or ``ImageError/Code-swift.struct/cancelled``.
  func run<Value: Sendable>(
    priority: WorkPriority = .normal, mark: CancellationMark = CancellationMark(),
    _ work: @escaping @Sendable (CancellationMark) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let id = state.withLock { $0.queue.makeID() }
    let answer = OneAnswer<Value>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer.wait(with: continuation)
        submit(id, priority: priority) {
          answer.give(
            Result { () throws(ImageError) in
              try mark.check()
              return try work(mark)
            })
        }
        // Cancelled before it was submitted: the handler found nothing to take out.
        if mark.isSet, withdraw(id) { answer.give(.failure(.cancelled)) }
      }
    } onCancel: {
      mark.set()
      if withdraw(id) { answer.give(.failure(.cancelled)) }
    }
    return try result.get()
  }

  /// Does a piece of work as soon as there is a thread for it.
  func perform(priority: WorkPriority = .normal, _ work: @escaping @Sendable () -> Void) {
    let id = state.withLock { $0.queue.makeID() }
    submit(id, priority: priority, work)
  }

  private func submit(_ id: WorkQueue.ID, priority: WorkPriority, _ job: @escaping @Sendable () -> Void) {
    start(
      state.withLock { state in
        state.jobs[id] = job
        return state.take(state.queue.submit(id, priority: priority))
      })
  }

  /// True when the job will never run.
  private func withdraw(_ id: WorkQueue.ID) -> Bool {
    // Let go outside of the lock: what a job holds may end with it.
    let job = state.withLock { state in state.queue.cancel(id) ? state.jobs.removeValue(forKey: id) : nil }
    return job != nil
  }

  private func start(_ next: (id: WorkQueue.ID, job: @Sendable () -> Void)?) {
    guard let next else { return }
    threads.async {
      next.job()
      self.start(self.state.withLock { $0.take($0.queue.finished()) })
    }
  }
}

/// Resumes who waits for a piece of work, once.
private final class OneAnswer<Value: Sendable>: Sendable {
  typealias Continuation = CheckedContinuation<Result<Value, ImageError>, Never>

  private let continuation = Mutex<Continuation?>(nil)

  func wait(with continuation: Continuation) { self.continuation.withLock { $0 = continuation } }

  func give(_ result: Result<Value, ImageError>) {
    continuation.withLock { $0.take() }?.resume(returning: result)
  }
}
