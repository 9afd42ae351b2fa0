import Dispatch
import Foundation
import Synchronization

/// The threads that decode, scale and encode images. They are separate from the threads that run Swift's tasks, which
/// must never be blocked for long.
final class WorkPool: Sendable {
  static let maximumSlots = 16

  /// A pool with one thread per processor.
  static let shared = WorkPool(slots: min(max(ProcessorCount.active, 1), maximumSlots))

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

  /// Runs work on a thread of the pool.
  ///
  /// If the surrounding task is cancelled, the flag is set, and work that has not started is removed from the queue.
  ///
  /// - Throws: The error that the work throws, or ``ImageError/Code-swift.struct/cancelled``.
  func run<Value: Sendable>(
    priority: WorkPriority = .normal, flag: CancellationFlag = CancellationFlag(),
    _ work: @escaping @Sendable (CancellationFlag) throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let id = state.withLock { $0.queue.makeID() }
    let singleResult = SingleResult<Value>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        singleResult.wait(with: continuation)
        submit(id, priority: priority) {
          singleResult.resolve(
            Result { () throws(ImageError) in
              try flag.check()
              return try work(flag)
            })
        }
        // The task was cancelled before the job was submitted, so the cancellation handler could not remove it.
        if flag.isSet, withdraw(id) { singleResult.resolve(.failure(.cancelled)) }
      }
    } onCancel: {
      flag.set()
      if withdraw(id) { singleResult.resolve(.failure(.cancelled)) }
    }
    return try result.get()
  }

  /// Runs work as soon as a thread is available.
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

  /// Removes a job from the queue. Returns true if the job will never run.
  private func withdraw(_ id: WorkQueue.ID) -> Bool {
    // The job is released outside the lock, because that may deinitialize what it holds.
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

/// Resumes the task that waits for a piece of work, once.
private final class SingleResult<Value: Sendable>: Sendable {
  typealias Continuation = CheckedContinuation<Result<Value, ImageError>, Never>

  private let continuation = Mutex<Continuation?>(nil)

  func wait(with continuation: Continuation) { self.continuation.withLock { $0 = continuation } }

  func resolve(_ result: Result<Value, ImageError>) {
    continuation.withLock { $0.take() }?.resume(returning: result)
  }
}

/// A flag that cancels work on an image. The work checks it between two rows.
final class CancellationFlag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }

  func check() throws(ImageError) {
    if isSet { throw .cancelled }
  }
}

extension ImageError {
  static let cancelled = ImageError(.cancelled, "The work on the image was cancelled.")
}

enum ProcessorCount {
  /// The number of processors that this process may use.
  static let active = ProcessInfo.processInfo.activeProcessorCount
}
